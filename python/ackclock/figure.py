"""Figures for programs and notebooks, to display or to save for a paper."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import polars as pl

from ackclock._files import replacing
from ackclock._libraries import need_matplotlib
from ackclock._names import nearest
from ackclock.errors import InputError
from ackclock.report import rows
from ackclock.report.chart import Chart
from ackclock.report.printed import COLUMN_IN, FORMATS, PAGE_IN, printed

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from ackclock.run import Run, Runs
    from ackclock.study.result import StudyResult

_WIDTHS: Mapping[str, float] = {"column": COLUMN_IN, "page": PAGE_IN}
"""The widths of one column and of both columns of a two-column paper, in inches."""
_WIDTH_RANGE = (1, 50)
"""The least and the largest width of a figure, in inches."""
_INTERACTIVE = ("grid", "distribution")
"""The kinds of charts for which there is a Plotly figure: sweeps and completion times."""
FIGURES = "figures"
"""The subfolder of the results into which commands write figures."""


def known_formats(names: Sequence[str]) -> list[str]:
    """Returns the figure formats without duplicates. InputError for an unknown format, or if Matplotlib is missing and
    a format other than CSV is named.
    """
    for name in names:
        if name not in (*FORMATS, "csv"):
            raise InputError(f'--figures: found "{name}", expected one of {", ".join((*FORMATS, "csv"))}')
    if any(name in FORMATS for name in names):
        need_matplotlib()
    return list(dict.fromkeys(names))


def known_width(text: str | None) -> float | None:
    """Returns the width in inches that ``--width`` names, or None for the default width. InputError for a wrong one."""
    width: float | str | None = text
    if text is not None:
        with suppress(ValueError):
            width = float(text)
    return _inches(width, "--width")


class Figure:
    """A figure of a study, of a run over time, or of a sweep."""

    def __init__(self, chart: Chart, name: str, warnings: Sequence[str] = ()) -> None:
        self.chart = chart
        """The figure as data, for any drawing library."""
        self.warnings = tuple(warnings)
        """The warnings about the scenario that ``ackclock check`` prints, one sentence each."""
        # LaTeX takes what follows the first dot for the ending.
        self.name = name.replace(".", "-")
        """The file name of the figure without its extension; dots are replaced by hyphens."""

    @property
    def frame(self) -> pl.DataFrame:
        """Returns the figure's data: a row for each point of each curve, a column for each axis, with unit."""
        return rows.rows(self.chart)

    def save(self, path: str | Path, *, width_in: float | Literal["column", "page"] | None = None) -> Path:
        """Writes the figure as PDF, SVG, PNG or CSV, by the ending of ``path``, and returns the path.

        ``width_in`` is the width in inches, or ``column`` (3.5) or ``page`` (7.16) for one or both columns of a
        two-column paper; the default is ``column`` for up to two panels side by side, else ``page``. All formats except
        CSV need Matplotlib; none needs a browser. InputError without Matplotlib, or for an unknown ending or width.
        """
        path = Path(path)
        format = path.suffix.removeprefix(".").lower()
        if format == "csv":
            content = rows.csv(self.chart).encode()
        elif format in FORMATS:
            content = printed(self.chart, format, _inches(width_in), self.warnings)
        else:
            known = ", ".join(f".{one}" for one in (*FORMATS, "csv"))
            raise InputError(f"{path}: expected a file name that ends in one of {known}")
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as file:
            file.write_bytes(content)
        return path

    def plotly(self) -> go.Figure:
        """Returns the figure of a sweep or of completion times as a Plotly figure, which can be zoomed and changed.

        InputError for other figures.
        """
        from ackclock.report.plotly_figure import plotly_figure

        if self.chart.kind not in _INTERACTIVE:
            raise InputError(
                f"{self.name}: only figures of sweeps and of completion times can be Plotly figures; save() writes "
                "this one as a file"
            )
        return plotly_figure(self.chart)

    def __repr__(self) -> str:
        return f"Figure({self.name!r})"

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        """Shows the figure in a notebook: as a Plotly figure for sweeps and completion times, otherwise as SVG."""
        if self.chart.kind in _INTERACTIVE:
            return self.plotly()._repr_mimebundle_(**kwargs)
        return {"image/svg+xml": printed(self.chart, "svg", 2 * COLUMN_IN).decode()}


def _inches(width: float | str | None, called: str = "width_in") -> float | None:
    """Returns the width in inches, or None for the default width. InputError for an unknown name."""
    if width is None:
        return None
    least, most = _WIDTH_RANGE
    if isinstance(width, int | float) and not isinstance(width, bool) and least <= width <= most:
        return width
    if not isinstance(width, str):
        raise InputError(f"{called}: found {width}, expected a number of inches from {least} to {most}")
    if width not in _WIDTHS:
        raise InputError(
            f'{called}: found "{width}", expected a number of inches or a name{nearest(width, _WIDTHS)}'
        )
    return _WIDTHS[width]


def figures(of: StudyResult | Run | Runs) -> list[Figure]:
    """Returns all figures of a study, of a run (values over time, if it has series), or of the runs of a sweep. Runs
    with observed transfers also have a figure of their completion times.

    A figure's ``name`` begins with that of the study or of the scenario.
    """
    from ackclock.report import sweep_view
    from ackclock.run import Run, Runs

    if isinstance(of, Run):
        return over_time(Runs([of]))
    if isinstance(of, Runs):
        drawn = [Figure(view.chart, view.file, of.warnings) for view in sweep_view.figures_of(of)]
        return drawn + _completions(of)
    return list(_of_study(of))


def over_time(runs: Runs) -> list[Figure]:
    """Returns the figures of the first of the runs: values over time, if it has series, and completion times."""
    from ackclock.report import scenario_figures

    views = scenario_figures.figures_of(runs[0], "", runs.declared)
    return [Figure(view.chart, view.file, runs.warnings) for view in views] + _completions(runs[:1])


def _completions(runs: Runs) -> list[Figure]:
    """Returns the figure of completion times, if transfers were observed."""
    from ackclock.report.completion_figure import completion_figure
    from ackclock.report.figures import file_stem

    chart = completion_figure(runs)
    return [] if chart is None else [Figure(chart, file_stem(runs[0].scenario, "completion"), runs.warnings)]


def _of_study(study: StudyResult) -> Iterator[Figure]:
    """Returns the figures of a study's page: its figures and the dot plots of its metrics, or, for a characterisation,
    its figures, planes and distributions.
    """
    from ackclock.report import characterisation, results_table
    from ackclock.report.figures import study_stem, view

    named = set()
    for figure in study.figures:
        drawn = view(study, figure, "")
        if not drawn.empty:
            named.add(drawn.file)
            yield Figure(drawn.chart, drawn.file)
    if study.characterisation is None:
        for card in results_table.cards(study):
            # A metric and a figure may have one id.
            yield Figure(card.chart, f"{card.file}-means" if card.file in named else card.file)
        return
    for number, plane in enumerate(characterisation.planes_of(study), start=1):
        yield Figure(plane.chart, f"{study_stem(study.name)}-plane-{number}")


def save_all(
    found: Sequence[Figure], folder: Path, formats: Sequence[str], width_in: float | None = None
) -> list[Path]:
    """Writes every figure in each format into ``folder`` and returns the paths. InputError if a format needs Matplotlib
    and it is missing.
    """
    paths, taken = [], set[str]()
    for figure in found:
        # Studies in several folders can have one name.
        name = next(
            name
            for number in count(1)
            if (name := figure.name if number == 1 else f"{figure.name}-{number}") not in taken
        )
        taken.add(name)
        paths += [figure.save(folder / f"{name}.{format}", width_in=width_in) for format in formats]
    return paths
