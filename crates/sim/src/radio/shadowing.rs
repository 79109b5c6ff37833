//! Log-normal shadowing: the mean received power falls with a power of the distance, and each packet's power
//! deviates from it normally in decibels (Rappaport, Wireless Communications, section 4.9; ns-2's
//! `Propagation/Shadowing`). A packet whose power lies below the receiver's threshold is lost.

use super::normal;
use ackclock_base::{Random, Range, parameters};
use std::f64::consts::PI;

/// The speed of light in metres per second.
const LIGHT_MPS: f64 = 299_792_458.0;

const NS2: &str = "ns-2's Phy/WirelessPhy";

parameters! {
    /// The parameters of shadowing: the received power, and the power that a receiver needs.
    pub struct Shadowing {
        /// Path loss exponent: 2 in free space, 4 to 6 inside buildings
        exponent: f64 = number("2", Range::between(1.0, 10.0), "ns-2's pathlossExp_; Rappaport table 4.2"),
        /// Standard deviation of the received power from packet to packet, in decibels
        deviation_db: f64 = number("4", Range::between(0.0, 100.0), "ns-2's std_db_; Dahal 2007 section 5.3.1"),
        /// Reference distance, in metres, at which the mean received power is that of free space; at longer distances
        /// the mean power falls with the path loss exponent, and at shorter ones it stays constant
        reference_m: f64 = number("1", Range { min: 0.0, max: 1e5, above_min: true }, "ns-2's dist0_; Dahal 2007 section 5.3.1"),
        /// Transmit power, in watts
        transmit_w: f64 = number("0.28183815", Range { min: 0.0, max: 1e6, above_min: true }, NS2),
        /// Receiver threshold, in watts: a packet received with less power is corrupted
        threshold_w: f64 = number("3.652e-10", Range { min: 0.0, max: 1e6, above_min: true }, NS2),
        /// Carrier frequency, in hertz
        frequency_hz: f64 = number("914e6", Range::between(1e3, 1e13), NS2),
    }
}

impl Shadowing {
    /// Returns how far the mean received power at a distance lies above the receiver's threshold, in
    /// decibels. Antennas have no gain and no losses.
    pub fn margin_db(&self, distance_m: f64) -> f64 {
        let wavelength = LIGHT_MPS / self.frequency_hz;
        // Friis' equation gives the power at the reference distance.
        let spread = wavelength / (4.0 * PI * self.reference_m);
        let reference_w = self.transmit_w * spread * spread;
        let beyond = (distance_m / self.reference_m).max(1.0);
        10.0 * libm::log10(reference_w / self.threshold_w) - 10.0 * self.exponent * libm::log10(beyond)
    }

    /// Draws how far the received power of one packet at a distance lies above the receiver's threshold, in
    /// decibels. A packet with a negative result is not received.
    pub fn draw_db(&self, distance_m: f64, random: &mut dyn Random) -> f64 {
        self.margin_db(distance_m) + self.deviation_db * normal::draw(random)
    }

    /// Returns the probability that a packet is lost at a distance.
    pub fn loss_probability(&self, distance_m: f64) -> f64 {
        normal::above(self.margin_db(distance_m) / self.deviation_db)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    const DISTANCES_M: [f64; 8] = [0.5, 1.0, 10.0, 100.0, 150.0, 250.0, 300.0, 424.0];

    fn shadowing(exponent: f64) -> Shadowing {
        Shadowing { exponent, ..Shadowing::default() }
    }

    #[test]
    fn the_mean_power_follows_friis_and_then_the_exponent() {
        // At 914 MHz the wavelength is 0.3280 m. At a distance of 1 m, (0.3280 / (4 pi))^2 = 6.813e-4;
        // 0.28184 W times that is 1.9201e-4 W, which is 57.21 dB above 3.652e-10 W. The power does not rise
        // at shorter distances. At ten times the distance it is lower by 10 dB times the exponent.
        for exponent in [2.0, 2.7, 4.0] {
            let model = shadowing(exponent);
            assert!((model.margin_db(1.0) - 57.21).abs() < 0.01, "{}", model.margin_db(1.0));
            assert_eq!(model.margin_db(0.5), model.margin_db(1.0));
            assert!((model.margin_db(10.0) - 57.21 + 10.0 * exponent).abs() < 0.01);
        }
        // The distance at which half of the packets are lost is 10^(57.21 / (10 n)) m for an exponent n: 726
        // m at 2.0, 132 m at 2.7.
        for (exponent, median_m) in [(2.0, 726.0), (2.2, 399.0), (2.4, 242.0), (2.7, 132.0)] {
            assert!((shadowing(exponent).loss_probability(median_m) - 0.5).abs() < 0.005, "{exponent}");
        }
    }

    #[test]
    fn draws_have_the_mean_power_of_the_closed_form() {
        // 40,000 draws with a deviation of 4 dB have a standard error of 0.02 dB; four of them are allowed.
        let mut random = Stream::new(5, "shadowing");
        for exponent in [2.0, 2.4] {
            let model = shadowing(exponent);
            for distance_m in DISTANCES_M {
                let drawn: f64 = (0..40_000).map(|_| model.draw_db(distance_m, &mut random)).sum();
                let off_db = drawn / 40_000.0 - model.margin_db(distance_m);
                assert!(off_db.abs() < 0.08, "{exponent}, {distance_m} m: {off_db} dB");
            }
        }
    }

    #[test]
    fn packets_are_lost_with_the_probability_of_the_closed_form() {
        // The reference is the tail of the normal distribution at margin over deviation, with the margin
        // computed from 57.21 dB at one metre. The allowed error is four standard deviations of a share of
        // 40,000.
        let mut random = Stream::new(6, "shadowing");
        for exponent in [2.0, 2.2, 2.4, 2.7] {
            for distance_m in DISTANCES_M {
                let margin_db = 57.21 - 10.0 * exponent * f64::max(distance_m, 1.0).log10();
                let expected = normal::above(margin_db / 4.0);
                let model = shadowing(exponent);
                let lost = (0..40_000).filter(|_| model.draw_db(distance_m, &mut random) < 0.0).count();
                let off = lost as f64 / 40_000.0 - expected;
                let error = (expected * (1.0 - expected) / 40_000.0).sqrt();
                assert!(off.abs() < 4.0 * error + 5e-4, "{exponent}, {distance_m} m: {off}");
                assert!((model.loss_probability(distance_m) - expected).abs() < 1e-3);
            }
        }
    }

    #[test]
    fn without_deviation_packets_arrive_up_to_a_fixed_distance() {
        // 10^(57.21 / 20) = 725 m.
        let model = Shadowing { deviation_db: 0.0, ..Shadowing::default() };
        let mut random = Stream::new(7, "shadowing");
        assert!(model.draw_db(724.0, &mut random) > 0.0 && model.draw_db(727.0, &mut random) < 0.0);
        assert_eq!((model.loss_probability(700.0), model.loss_probability(750.0)), (0.0, 1.0));
    }
}
