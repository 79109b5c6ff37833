//! Transfers a file over noq and loopback under any congestion control of ackclock:
//! `cargo run --bin noq-transfer -- cubic Cargo.lock`.

use ackclock_quic_examples::{Result, exit};
use noq as stack;

#[path = "../transfer.rs"]
mod transfer;

/// Returns a configuration under this control: all that is about congestion control.
fn transport(control: &str) -> Result<stack::TransportConfig> {
    let control = ackclock_noq::control(control)?;
    let mut transport = stack::TransportConfig::default();
    transport.congestion_controller_factory(ackclock_noq::factory(&control));
    Ok(transport)
}

#[tokio::main]
async fn main() -> std::process::ExitCode {
    exit(transfer::run(transport).await)
}
