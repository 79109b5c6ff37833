"""A copy of a study stands alone and asks the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from ackclock.cli.app import app
from ackclock.cli.study import copied
from ackclock.errors import InputError
from ackclock.study.fingerprint import of_simulation
from ackclock.study.load import find_studies, load_study, parse_study, study_names


@pytest.mark.parametrize("folder", sorted({name.split("/")[0] for name in study_names()}))
def test_a_copy_asks_what_the_study_asks(folder: str) -> None:
    for name in find_studies([folder]):
        study = load_study(name)
        text = copied(study)
        assert "\nbase = " not in text
        copy = parse_study(text, "copy.toml", "copy.toml")
        assert of_simulation(copy.study) == of_simulation(study.study), name
        # They explain the results of the study as it is.
        assert not copy.study.findings
        # A changed copy has tests of its own.
        assert not any(claim.same_as for claim in copy.study.claims)


def test_the_command_writes_a_file_once(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    arguments = ["study", "copy", "rbcc/table-4.1", str(file)]
    assert CliRunner().invoke(app, arguments).exit_code == 0
    assert load_study(str(file)).study.title == load_study("rbcc/table-4.1").study.title
    file.write_text("mine now")
    again = CliRunner().invoke(app, arguments)
    assert isinstance(again.exception, InputError)
    assert file.read_text() == "mine now"


def test_a_name_without_its_folder_is_found_in_any() -> None:
    with pytest.raises(InputError, match=r'did you mean "ltcp-rc/table-vii"\?'):
        find_studies(["table-vii"])
