"""The delay/goodput ellipse of RFC 7928 section 2.7: a two-dimensional normal distribution fitted to the runs.

The maximum-likelihood fit is the mean and the covariance divided by n. Its contour (z - mean)' C^-1 (z - mean) = 1
holds 1 - exp(-1/2) = 39.3 % of the distribution. The section gives no level.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.float64]
LEAST_POINTS = 5
"""The smallest number of points for which a contour is computed."""


@dataclass(frozen=True)
class Ellipse:
    """The fitted distribution. ``contour`` has successive points on the contour; none if it has no area."""

    mean: tuple[float, float]
    median: tuple[float, float]
    covariance: tuple[float, float, float]
    """The variance of x, the covariance of x and y, and the variance of y."""
    contour: tuple[tuple[float, float], ...]


def fitted(x: Vector, y: Vector, points: int = 48) -> Ellipse | None:
    """Returns the ellipse of the points (x, y); None without any point. Points with a ``nan`` are left out."""
    good = np.isfinite(x) & np.isfinite(y)
    x, y = x[good], y[good]
    if x.size == 0:
        return None
    mean = (float(np.mean(x)), float(np.mean(y)))
    a, b = x - mean[0], y - mean[1]
    xx, xy, yy = float(np.mean(a * a)), float(np.mean(a * b)), float(np.mean(b * b))
    contour: tuple[tuple[float, float], ...] = ()
    determinant = xx * yy - xy * xy
    if x.size >= LEAST_POINTS and determinant > 1e-12 * xx * yy and xx > 0 and yy > 0:
        # Cholesky's L, with C = L L', maps the unit circle to the contour.
        l11 = math.sqrt(xx)
        l21 = xy / l11
        l22 = math.sqrt(yy - l21 * l21)
        turns = [2 * math.pi * k / points for k in range(points)]
        contour = tuple(
            (mean[0] + l11 * math.cos(t), mean[1] + l21 * math.cos(t) + l22 * math.sin(t)) for t in turns
        )
    return Ellipse(mean, (float(np.median(x)), float(np.median(y))), (xx, xy, yy), contour)
