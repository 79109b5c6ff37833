//! The transfer itself. Each example compiles this file with its own stack, which it names `stack`: quinn and noq, a fork of it, have the
//! same API.

use crate::stack::{ClientConfig, Endpoint, ServerConfig, TransportConfig};
use ackclock_quic_examples::{Result, arguments, certificate, report};
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Instant;

/// Transfers the file that the command names over loopback. `transport` makes the sender's configuration from the name of a control.
pub async fn run(transport: impl Fn(&str) -> Result<TransportConfig>) -> Result<()> {
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

    let mut client = ClientConfig::with_root_certificates(Arc::new(trusted))?;
    client.transport_config(Arc::new(transport(&control)?));
    let endpoint = Endpoint::client((Ipv4Addr::LOCALHOST, 0).into())?;
    let began = Instant::now();
    let connection = endpoint.connect_with(client, address, "localhost")?.await?;
    let mut stream = connection.open_uni().await?;
    stream.write_all(&data).await?;
    stream.finish()?;
    connection.closed().await;
    let received = receiver.await??;
    report(&control, &data, &received, began.elapsed())
}
