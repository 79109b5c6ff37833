"""``ackclock migrate``: files of earlier formats are rewritten, and refused everywhere else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import BASE, DERIVED, STUDY
from typer.testing import CliRunner

from ackclock._archive import evaluation_text
from ackclock._migration import migrated
from ackclock.cli.app import app
from ackclock.errors import InputError
from ackclock.study.load import load_study, parse_study

ARMS = """
[[arms]]  # arms = 1
name = "droptail"
label = 'the arms = "drop-tail"'

[[arms]]
name = "codel"
label = "CoDel"
delay = { target = "1 ms" }
"""


def old(text: str) -> str:
    """Returns a study or base as 0.1 wrote it."""
    return text.replace("interpretations", "alternatives").replace("[[disciplines]]", "[[arms]]")


def test_the_keys_are_renamed_and_all_else_stays() -> None:
    comment = "# alternatives = [] in a comment, and alternatives.\n"
    assert old(STUDY) != STUDY
    text, told = migrated(comment + old(STUDY), "study.toml")
    assert text == comment + STUDY
    assert told == "`alternatives` is now `interpretations`"
    assert parse_study(text, "study", "study.toml") == parse_study(comment + STUDY, "study", "study.toml")


def test_a_base_is_rewritten_too() -> None:
    # The name of the key stands in a comment and in two strings as well, which stay.
    text, told = migrated(old(BASE) + ARMS, "small.base.toml")
    assert text == BASE + ARMS.replace("[[arms]]", "[[disciplines]]")
    assert told == "`alternatives` is now `interpretations`, `arms` is now `disciplines`"


def test_a_key_within_a_list_within_a_table_is_renamed() -> None:
    criteria = '\n[characterisation]\ncriteria = ["goodput", {{ rule = "own", {} = 0.75, text = "caution_low = 1" }}]\n'
    text, told = migrated(STUDY + criteria.format("caution_low"), "study.toml")
    assert text == STUDY + criteria.format("info_low")
    assert told == "`caution_low` is now `info_low`"


def test_a_file_of_the_present_format_stays_as_it_is() -> None:
    assert migrated(STUDY, "study.toml") == (STUDY, "")


def test_what_cannot_be_rewritten_is_refused() -> None:
    quoted = old(STUDY).replace("alternatives = [", '"alternatives" = [')
    with pytest.raises(
        InputError, match=r"study\.toml: cannot be rewritten automatically .* an old key is in quotes"
    ):
        migrated(quoted, "study.toml")
    with pytest.raises(InputError, match=r"x\.toml: not valid TOML"):
        migrated("a = ", "x.toml")


def test_files_that_have_had_one_format_stay_as_they_are() -> None:
    scenario, record = 'duration = "1 s"\n', evaluation_text("cubic")
    assert migrated(scenario, "x.toml") == (scenario, "")
    assert record is not None
    assert migrated(record, "record.json") == (record, "")


def test_a_record_that_cannot_be_carried_over_is_refused_with_what_makes_it_anew() -> None:
    record = json.loads(evaluation_text("cubic") or "")
    del record["seeds"]
    made = r"record\.json: seeds: .*`ackclock evaluate cubic --full --json > record\.json` makes a new one"
    with pytest.raises(InputError, match=made):
        migrated(json.dumps(record), "record.json")
    with pytest.raises(
        InputError, match=r"r\.json: results of studies cannot be migrated, .*`ackclock reproduce` again"
    ):
        migrated('{"studies": []}', "r.json")
    with pytest.raises(InputError, match=r"r\.json: not the record of an evaluation"):
        migrated("[]", "r.json")
    with pytest.raises(InputError, match=r"r\.json:1:1: not valid JSON"):
        migrated("x", "r.json")


def test_an_old_file_is_refused_by_name_with_the_command_that_rewrites_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("study.toml").write_text(DERIVED)
    Path("small.base.toml").write_text(old(BASE))
    with pytest.raises(InputError) as caught:
        load_study("study.toml")
    message = "small.base.toml: is in an earlier format (`alternatives` is now `interpretations`); "
    assert str(caught.value) == message + "`ackclock migrate small.base.toml` rewrites it"
    assert CliRunner().invoke(app, ["migrate", "small.base.toml"]).exit_code == 0
    assert Path("small.base.toml").read_text() == BASE
    load_study("study.toml")


def test_if_one_file_is_refused_none_is_written(tmp_path: Path) -> None:
    study, other = tmp_path / "study.toml", tmp_path / "other.toml"
    study.write_text(old(STUDY))
    other.write_text("a = ")
    made = CliRunner().invoke(app, ["migrate", str(study), str(other)])
    assert isinstance(made.exception, InputError)
    assert study.read_text() == old(STUDY)


def test_the_number_of_seeds_is_the_most_now() -> None:
    old = 'title = "t"\nreplications = 5\nreplications_most = 40   # enough\n' + STUDY_BODY
    text, told = migrated(old, "study.toml")
    assert text == 'title = "t"\nreplications = 40   # enough\n' + STUDY_BODY
    assert told == "`replications_most` is now `replications`, the maximum number of seeds"


def test_the_verdicts_of_findings_have_other_words() -> None:
    old = (
        STUDY_BODY
        + '[[findings]]\nclaim = "1"\nverdict = "not reproduced"\ntext = "not reproduced"\n'
        + '[[findings]]\nclaim = "1"\nverdict = "hangs on the reading"\ntext = "t"\n'
    )
    text, told = migrated(old, "study.toml")
    assert text == (
        STUDY_BODY
        + '[[findings]]\nclaim = "1"\nverdict = "not as printed"\ntext = "not reproduced"\n'
        + '[[findings]]\nclaim = "1"\ntext = "t"\n'
    )
    assert told == "the verdicts of findings have new names"
    assert migrated(text, "study.toml") == (text, "")


STUDY_BODY = '[source]\nthesis = "rbcc"\n[scenario]\nduration = "5 s"\n'


def test_standard_input_is_no_file_to_rewrite() -> None:
    made = CliRunner().invoke(app, ["migrate", "-"], input=old(STUDY))
    assert str(made.exception) == 'found "-" (standard input), expected the path of a file to rewrite'
