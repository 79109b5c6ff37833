//! Prints how many bytes and packets are on a path at once, from its rate and its round-trip time: `cargo run
//! -p ackclock-base --example bandwidth_delay_product -- "10 Mbit/s" "40 ms"`.

use ackclock_base::spelling::{read_rate, read_span};

fn main() -> Result<(), String> {
    let mut arguments = std::env::args().skip(1);
    let rate = arguments.next().unwrap_or_else(|| "10 Mbit/s".to_owned());
    let round_trip = arguments.next().unwrap_or_else(|| "40 ms".to_owned());
    let bytes = read_rate(&rate).map_err(|wrong| wrong.expected)?.bytes_per_second()
        * read_span(&round_trip).map_err(|wrong| wrong.expected)?.seconds();
    println!("{rate} over {round_trip} hold {bytes:.0} bytes, or {:.1} packets of 1500", bytes / 1500.0);
    Ok(())
}
