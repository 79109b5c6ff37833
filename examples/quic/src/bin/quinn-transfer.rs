//! Transfers a file over quinn and loopback under any congestion control of ackclock:
//! `cargo run --bin quinn-transfer -- cubic Cargo.lock`.

use ackclock_quic_examples::{Result, arguments, certificate, report};
use quinn::{ClientConfig, Endpoint, ServerConfig, TransportConfig};
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Instant;

#[tokio::main]
async fn main() -> Result<()> {
    let (control, data) = arguments()?;
    let (certificate, key, trusted) = certificate()?;

    let server = ServerConfig::with_single_cert(vec![certificate], key)?;
    let server = Endpoint::server(server, (Ipv4Addr::LOCALHOST, 0).into())?;
    let address = server.local_addr()?;
    let receiver = tokio::spawn(async move {
        let connection = server.accept().await.ok_or("no connection")?.await?;
        let received = connection.accept_uni().await?.read_to_end(usize::MAX).await?;
        connection.close(0_u32.into(), b"received");
        server.wait_idle().await;
        Result::Ok(received)
    });

    // The only lines that are about congestion control.
    let control = ackclock_quinn::control(&control)?;
    let mut transport = TransportConfig::default();
    transport.congestion_controller_factory(ackclock_quinn::factory(&control));

    let mut client = ClientConfig::with_root_certificates(Arc::new(trusted))?;
    client.transport_config(Arc::new(transport));
    let endpoint = Endpoint::client((Ipv4Addr::LOCALHOST, 0).into())?;
    let began = Instant::now();
    let connection = endpoint.connect_with(client, address, "localhost")?.await?;
    let mut stream = connection.open_uni().await?;
    stream.write_all(&data).await?;
    stream.finish()?;
    connection.closed().await;
    let received = receiver.await??;
    report(control.descriptor().name, &data, &received, began.elapsed())
}
