"""Formats numbers for readers: with as many digits as the interval justifies."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ackclock.study.result import Interval


MISSING = "–"
MOST_DIGITS = 6


def plain(value: float | None) -> str:
    """Formats a number from a publication, with the digits that it was printed with."""
    if value is None or not math.isfinite(value):
        return _not_a_number(value)
    return _typeset(f"{value:.12g}")


def significant(value: float | None, digits: int = 4) -> str:
    """Formats a computed number to some significant digits, without an exponent if that stays readable."""
    if value is None or not math.isfinite(value):
        return _not_a_number(value)
    if value == 0:
        return "0"
    magnitude = math.floor(math.log10(abs(value)))
    if not -5 < magnitude < 12:
        return _typeset(f"{value:.{digits - 1}e}")
    return _fixed(value, min(10, max(0, digits - 1 - magnitude)))


def mean_and_spread(mean: float | None, interval: Interval | None, *, bounded: bool = False) -> str:
    """Returns a text such as ``0.1243 ± 0.0004``: the half-width of the interval determines the digits of the mean.

    A half-width below the last digit of the mean is ``<0.00001``; with ``bounded``, as for print, it is rounded up to
    that digit.
    """
    half = half_width(mean, interval)
    if half is None:
        return significant(mean)
    spread = _spread(half, mean or 0.0)
    return f"{mean_alone(mean, interval)} ± {spread.removeprefix('<') if bounded else spread}"


def mean_alone(mean: float | None, interval: Interval | None) -> str:
    """Returns the mean as :func:`mean_and_spread` writes it."""
    half = half_width(mean, interval)
    if mean is None or half is None:
        return significant(mean)
    return _trimmed(mean) if half == 0 else _fixed(mean, _decimals(half, mean))


def interval_text(mean: float | None, interval: Interval | None) -> str:
    """Returns a text such as ``0.1239 to 0.1247``."""
    half = half_width(mean, interval)
    if mean is None or interval is None or half is None:
        return MISSING
    if half == 0:
        return f"{_trimmed(interval[0])} to {_trimmed(interval[1])}"
    decimals = _decimals(half, mean)
    return f"{_fixed(interval[0], decimals)} to {_fixed(interval[1], decimals)}"


def with_ends(mean: float | None, interval: Interval | None, unit: str = "") -> str:
    """Returns a text such as ``12.4 ms (11.9 to 12.9)``, each number with three digits; the mean alone if the ends are
    equal but for rounding.
    """
    text = f"{significant(mean, 3)} {unit}".rstrip()
    if mean is None or interval is None or half_width(mean, interval) == 0.0:
        return text
    return f"{text} ({significant(interval[0], 3)} to {significant(interval[1], 3)})"


def evenly(count: int, most: int) -> list[int]:
    """Returns the indices below ``count``, or ``most`` of them (at least 2) at even distances, both ends included."""
    if count <= most:
        return list(range(count))
    return [round(k * (count - 1) / (most - 1)) for k in range(most)]


def half_width(mean: float | None, interval: Interval | None) -> float | None:
    """Returns half the interval's width, or None without a finite interval; a width due only to rounding of floats
    counts as 0.
    """
    if mean is None or interval is None or not all(map(math.isfinite, (mean, *interval))):
        return None
    half = (interval[1] - interval[0]) / 2
    return 0.0 if half <= 1e-9 * abs(mean) else half


def duration(seconds: float) -> str:
    """Formats a wall-clock time: ``0.42 s``, ``12 s``, ``3 min 20 s``, ``2 h 05 min``."""
    if seconds < 10:
        return f"{seconds:.2g} s"
    if seconds < 100:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02d} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02d} min"


def number_of(count: int, thing: str) -> str:
    """Returns a count with its noun: ``1 study``, ``3 studies``, ``0 runs``."""
    if count == 1:
        return f"1 {thing}"
    return f"{count} {thing[:-1]}ies" if thing.endswith("y") else f"{count} {thing}s"


def ranges(values: Sequence[int]) -> str:
    """Formats seeds in short form: ``1 to 20``, ``1, 2, 7``."""
    runs: list[list[int]] = []
    for value in values:
        if runs and value == runs[-1][1] + 1:
            runs[-1][1] = value
        else:
            runs.append([value, value])
    return ", ".join(
        str(first) if first == last else f"{first}, {last}" if last == first + 1 else f"{first} to {last}"
        for first, last in runs
    )


def rounded(values: Iterable[float | None], digits: int = 5) -> list[float | int | None]:
    """Returns a series for drawing: few significant digits, whole numbers without a decimal point, gaps as None."""
    return [rounded_one(value, digits) for value in values]


def rounded_one(value: float | None, digits: int = 5) -> float | int | None:
    """Returns one value of :func:`rounded`."""
    if value is None or not math.isfinite(value):
        return None
    short = float(f"{value:.{digits}g}")
    return int(short) if short.is_integer() and abs(short) < 1e15 else short


def _decimals(half: float, mean: float) -> int:
    """Returns the decimals that show one significant digit of ``half``, or two if the first is 1 (0.0012, but 0.004).

    They give the mean at most six digits: more digits are of no use to a reader.
    """
    digits = 2 if f"{half:e}".startswith("1") else 1
    wanted = digits - 1 - math.floor(math.log10(half))
    if mean != 0:
        wanted = min(wanted, MOST_DIGITS - 1 - math.floor(math.log10(abs(mean))))
    return min(10, max(0, wanted))


def _spread(half: float, mean: float) -> str:
    """Formats half the interval with the decimals of the mean; ``<0.00001`` if these do not show it."""
    if half == 0:
        return "0"
    decimals = _decimals(half, mean)
    unit = 10.0**-decimals
    return _fixed(half, decimals) if half >= unit / 2 or decimals == 0 else f"<{_fixed(unit, decimals)}"


def _trimmed(value: float) -> str:
    """Formats a number without any spread: up to six significant digits, without zeros at the end."""
    text = significant(value, MOST_DIGITS)
    return text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text


def _fixed(value: float, decimals: int) -> str:
    text = f"{value:.{decimals}f}"
    if float(text) == 0:
        text = text.lstrip("-")
    whole, point, fraction = text.partition(".")
    # Five digits and more are grouped with a narrow no-break space, which is a decimal point in no language.
    grouped = f"{int(whole):,}".replace(",", "\u202f") if len(whole.lstrip("-")) > 4 else whole
    return _typeset(grouped + point + fraction)


def _not_a_number(value: float | None) -> str:
    if value is None or math.isnan(value):
        return MISSING
    return _typeset("∞" if value > 0 else "-∞")


def _typeset(text: str) -> str:
    return text.replace("-", "\u2212")
