//! Transfers a file over quinn and loopback under any congestion control of ackclock:
//! `cargo run --bin quinn-transfer -- cubic Cargo.lock`.

use ackclock_quic_examples::{Result, exit};
use quinn as stack;

#[path = "../transfer.rs"]
mod transfer;

/// Returns a configuration under this control: all that is about congestion control.
fn transport(control: &str) -> Result<stack::TransportConfig> {
    let control = ackclock_quinn::control(control)?;
    let mut transport = stack::TransportConfig::default();
    transport.congestion_controller_factory(ackclock_quinn::factory(&control));
    Ok(transport)
}

#[tokio::main]
async fn main() -> std::process::ExitCode {
    exit(transfer::run(transport).await)
}
