//! Tests against padasip's normalised-LMS filter: `reference/nlms` has its output for a series, and the
//! script that made it.

use super::*;

const SERIES: &str = include_str!("../../../../reference/nlms/series.csv");
const WEIGHTS: &str = include_str!("../../../../reference/nlms/weights.csv");

fn table(text: &str) -> Vec<Vec<f64>> {
    text.lines().skip(1).map(|line| line.split(',').map(|cell| cell.parse().unwrap()).collect()).collect()
}

fn near(mine: f64, theirs: f64) -> bool {
    (mine - theirs).abs() < 1e-9
}

#[test]
fn the_three_readings_agree_with_another_implementation() {
    let (series, weights) = (table(SERIES), table(WEIGHTS));
    assert!(series.len() > 2 * ROOM && weights.len() == 10);
    for (reading, update) in Update::ALL.iter().enumerate() {
        let mut predictor = Predictor::new(10, 15, 0.01, *update);
        for (place, row) in series.iter().enumerate() {
            let prediction = predictor.observe(row[0]);
            assert!(near(prediction, row[1 + reading]), "{update:?}, sample {place}: {prediction}");
        }
        for (mine, row) in predictor.weights().iter().zip(&weights) {
            assert!(near(*mine, row[reading]), "{update:?}: {mine}");
        }
    }
}
