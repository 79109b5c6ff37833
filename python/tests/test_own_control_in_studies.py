"""Controls in files of the user's own, which a study names: ``ackclock reproduce`` and ``check`` with ``--control``."""

from __future__ import annotations

import json
from pathlib import Path

from conftest import Command, replaced


def test_a_study_runs_a_control_in_python_that_it_names(ackclock: Command, study_file: Path) -> None:
    own = study_file.with_name("gentle.py")
    own.write_text("from ackclock.controls import NewReno\n\n\nclass Gentle(NewReno):\n    pass\n")
    text = study_file.read_text()
    study_file.write_text(replaced(text, ('control = "newreno"', 'control = "sack"')))
    before = json.loads(ackclock("reproduce", study_file, "--json").out)
    study_file.write_text(replaced(text, ('control = "newreno"', 'control = "gentle.py"')))
    refused = ackclock("check", study_file)
    assert (refused.code, "`--control FILE.py`" in " ".join(refused.err.split())) == (2, True)
    assert ackclock("check", study_file, "--control", own).code == 0
    after = json.loads(ackclock("reproduce", study_file, "--control", own, "--json").out)
    # The class is NewReno over selective acknowledgements, as `sack` is, and so are its results.
    numbers = [[claim["measured"] for claim in one["studies"][0]["claims"]] for one in (before, after)]
    assert numbers[0] == numbers[1]
    study_file.write_text("[[\n")
    assert "small-study.toml:1:" in ackclock("check", study_file, "--control", own).err
    study_file.write_text(text)
    unused = ackclock("reproduce", study_file, "--control", own)
    assert unused.code == 2
    assert "expected the Python file of a control that one of the studies uses" in " ".join(
        unused.err.split()
    )


def test_a_study_takes_no_other_control(ackclock: Command, study_file: Path) -> None:
    refused = ackclock("check", study_file, "--control", "cubic")
    assert refused.code == 2
    assert "expected the Python file of a control that one of the studies uses" in " ".join(
        refused.err.split()
    )


def test_a_study_names_two_controls_in_python(ackclock: Command, study_file: Path) -> None:
    """Each case runs the class that it names, in any order of the options."""
    gentle = "from ackclock.controls import NewReno\n\n\nclass Gentle(NewReno):\n    pass\n"
    study_file.with_name("gentle.py").write_text(gentle)
    harsh = gentle.replace("pass", "def decrease(self, window):\n        return 0.1 * window")
    study_file.with_name("harsh.py").write_text(harsh)
    text = study_file.read_text()

    def goodputs(few: str, many: str, *own: str) -> list[float]:
        named = ('control = "newreno"', f'control = "{few}"')
        study_file.write_text(
            replaced(
                text,
                named,
                ('"flows.tcp.count" = 8', f'"flows.tcp.count" = 8, "flows.tcp.control" = "{many}"'),
            )
        )
        options = [word for name in own for word in ("--control", study_file.with_name(name))]
        done = ackclock("reproduce", study_file, *options, "--json")
        assert done.code == 0, done.err
        cases = json.loads(done.out)["studies"][0]["cases"]
        return [value["mean"] for case in cases for value in case["values"] if value["metric"] == "goodput"]

    both = goodputs("gentle.py", "harsh.py", "gentle.py", "harsh.py")
    assert both == goodputs("gentle.py", "harsh.py", "harsh.py", "gentle.py")
    assert both == [
        goodputs("gentle.py", "sack", "gentle.py")[0],
        goodputs("sack", "harsh.py", "harsh.py")[1],
    ]
    assert both[1] != goodputs("sack", "sack")[1]
    goodputs("gentle.py", "harsh.py", "gentle.py", "harsh.py")
    missing = ackclock("reproduce", study_file, "--control", study_file.with_name("gentle.py"))
    assert missing.code == 2
    assert 'found "harsh.py"' in missing.err
