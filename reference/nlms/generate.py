"""Write what padasip's normalised-LMS filter makes of a series of queue lengths: `series.csv` and `weights.csv`.

A prediction is due `HORIZON` samples after it was made. padasip's filter knows no delay: it is shown the samples that
the prediction was made from only when the prediction is due. What error it learns from is chosen by the desired value
that it is given.
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
from padasip.filters import FilterNLMS

ORDER = 10
HORIZON = 15
STEP = 0.01
LENGTH = 600
LIMIT = 50
READINGS = ("delayed", "current-weights", "current-regressor")

HERE = Path(__file__).parent


def series() -> list[int]:
    """A queue that grows or shrinks by up to 3 packets at each arrival, between 0 and 50 (Knuth's MMIX generator)."""
    state, queue, samples = 1, 25, []
    for _ in range(LENGTH):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        queue = min(max(queue + (state >> 33) % 7 - 3, 0), LIMIT)
        samples.append(queue)
    return samples


def regressors(samples: list[int]) -> np.ndarray:
    """For each sample the last ten, newest first; zero before the first."""
    padded = np.concatenate([np.zeros(ORDER - 1), samples])
    return np.array([padded[place : place + ORDER][::-1] for place in range(len(samples))])


def nlms() -> FilterNLMS:
    """The filter; the 1 of equation 2.4 is its `eps`."""
    return FilterNLMS(n=ORDER, mu=STEP, eps=1.0, w="zeros")


def predict(samples: list[int], reading: str) -> tuple[list[float], list[float]]:
    """The predictions made at each sample, and the weights after the last."""
    rows, nlms_filter, predictions = regressors(samples), nlms(), []
    for now, sample in enumerate(samples):
        made = now - HORIZON
        if made >= 0:
            learnt_from = rows[now] if reading == "current-regressor" else rows[made]
            desired = float(sample)
            if reading != "current-weights":
                desired += nlms_filter.predict(learnt_from) - predictions[made]
            nlms_filter.adapt(desired, learnt_from)
        predictions.append(float(nlms_filter.predict(rows[now])))
    return predictions, [float(weight) for weight in nlms_filter.w]


def write(path: Path, header: list[str], columns: list[list[float]]) -> None:
    """One table."""
    with path.open("w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(header)
        table.writerows(zip(*columns, strict=True))


def main(folder: Path = HERE) -> None:
    """Write both tables."""
    samples = series()
    outcomes = [predict(samples, reading) for reading in READINGS]
    write(folder / "series.csv", ["sample", *READINGS], [samples, *(made for made, _ in outcomes)])
    write(folder / "weights.csv", list(READINGS), [weights for _, weights in outcomes])


if __name__ == "__main__":
    main()
