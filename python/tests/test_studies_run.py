"""One study of each thesis in its quick form, from the file to the report."""

from __future__ import annotations

import pytest
from conftest import cheapest_study, folders_of_studies
from markupsafe import escape

from ackclock.report import figures, render_page
from ackclock.study.load import load_study
from ackclock.study.run import run_study


@pytest.mark.slow
@pytest.mark.parametrize("folder", folders_of_studies())
def test_the_cheapest_study_of_each_thesis_runs(folder: str) -> None:
    loaded = load_study(cheapest_study(folder))
    result = run_study(loaded, quick=True)
    assert [claim.id for claim in result.claims] == [claim.id for claim in loaded.study.claims]
    for metric in result.metrics:
        assert any(case.values[metric.id].mean is not None for case in result.cases), (
            f"{metric.id} has no value in any case"
        )
    for number, figure in enumerate(result.figures):
        view = figures.view(result, figure, f"figure-{number}")
        assert not [text for text in view.missing if "was not recorded" in text]
        assert not view.empty
    assert escape(result.title) in render_page(result, f"ackclock reproduce {result.name} --quick")
