//! What both examples need: their arguments, a certificate for this run, the report, and the status at the end.

use rustls::RootCertStore;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use std::process::ExitCode;
use std::time::Duration;

/// The result of a step that may fail in any way.
pub type Result<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// Returns the name of the control and the data of the file that the command names.
pub fn arguments() -> Result<(String, Vec<u8>)> {
    let mut arguments = std::env::args().skip(1);
    let (Some(control), Some(file)) = (arguments.next(), arguments.next()) else {
        return Err("expected a control and a file, such as: cubic Cargo.lock".into());
    };
    Ok((control, std::fs::read(file)?))
}

/// Returns a certificate for localhost with its key, and the store that trusts it.
pub fn certificate() -> Result<(CertificateDer<'static>, PrivateKeyDer<'static>, RootCertStore)> {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()])?;
    let certificate = made.cert.der().clone();
    let mut trusted = RootCertStore::empty();
    trusted.add(certificate.clone())?;
    Ok((certificate, PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()).into(), trusted))
}

/// Prints how long the transfer took. Fails if what arrived is not what was sent.
pub fn report(control: &str, sent: &[u8], received: &[u8], took: Duration) -> Result<()> {
    if sent != received {
        return Err("what arrived is not what was sent".into());
    }
    println!("{} bytes arrived under {control} in {:.1} ms", received.len(), 1e3 * took.as_secs_f64());
    Ok(())
}

/// Prints an error in its own words and returns the status of the program.
pub fn exit(result: Result<()>) -> ExitCode {
    let Err(error) = result else { return ExitCode::SUCCESS };
    eprintln!("error: {error}");
    ExitCode::FAILURE
}
