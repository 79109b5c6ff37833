//! Bianchi's model of the distributed coordination function under saturation (IEEE JSAC 18(3), 2000), as an
//! independent reference.

/// The parameters of the model, with times in seconds.
pub struct Bianchi {
    pub stations: u32,
    /// W, the minimum window: counts are drawn from 0 to W - 1.
    pub window: f64,
    /// m, the number of times that the window doubles.
    pub doublings: i32,
    pub slot: f64,
    /// The time for which the medium is busy with a packet that arrives, and with a collision.
    pub success: f64,
    pub collision: f64,
}

impl Bianchi {
    /// Returns the probability that a station sends in a slot (equations 7 and 9), by bisection: the right
    /// side of (9) rises with it.
    fn sends(&self) -> f64 {
        let (mut low, mut high) = (0.0_f64, 1.0_f64);
        for _ in 0..200 {
            let tau = 0.5 * (low + high);
            let met = 1.0 - (1.0 - tau).powi(self.stations as i32 - 1);
            let (w, twice) = (self.window, 2.0 * met);
            // Equation 7 in the form without the singularity at 1/2.
            let sum: f64 = (0..self.doublings).map(|i| twice.powi(i)).sum();
            let answer = 2.0 / (1.0 + w + met * w * sum);
            if answer > tau { low = tau } else { high = tau }
        }
        0.5 * (low + high)
    }

    /// Returns the packets per second of all stations together (equation 13).
    pub fn packets_per_second(&self) -> f64 {
        let tau = self.sends();
        let n = self.stations as i32;
        let idle = (1.0 - tau).powi(n);
        let one = f64::from(n) * tau * (1.0 - tau).powi(n - 1);
        let several = 1.0 - idle - one;
        one / (idle * self.slot + one * self.success + several * self.collision)
    }
}

#[test]
fn the_fixed_point_fulfils_both_equations() {
    let model = |stations, doublings| Bianchi {
        stations,
        window: 32.0,
        doublings,
        slot: 50e-6,
        success: 8982e-6,
        collision: 8713e-6,
    };
    // A single station sends in every (W + 1) / 2 th slot: a cycle is 15.5 idle slots and a success.
    assert!((model(1, 3).sends() - 2.0 / 33.0).abs() < 1e-12);
    assert!((1.0 / model(1, 3).packets_per_second() - (8982e-6 + 15.5 * 50e-6)).abs() < 1e-9);
    // Without doubling the other stations do not change that.
    assert!((model(20, 0).sends() - 2.0 / 33.0).abs() < 1e-12);
    // Equation 7 as printed.
    let (m, w) = (3, 32.0);
    for stations in [2, 5, 10, 20] {
        let tau = model(stations, m).sends();
        let p = 1.0 - (1.0 - tau).powi(stations as i32 - 1);
        let printed =
            2.0 * (1.0 - 2.0 * p) / ((1.0 - 2.0 * p) * (w + 1.0) + p * w * (1.0 - (2.0 * p).powi(m)));
        assert!((tau - printed).abs() < 1e-9, "{stations}: {tau} and {printed}");
    }
}
