"""What the disk does not give or take: told with the path, before anything is lost."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from ackclock import _toml as toml
from ackclock._files import MAX_BYTES, read_text, replacing, writable
from ackclock.errors import InputError, RunError


@pytest.mark.parametrize(
    ("data", "place", "said"),
    [
        (b'a = 1\nb = "\xff"\n', "2:6", "byte 0xff is not UTF-8 text"),
        ("a = 'ü'\n".encode() + b"\x80", "2:1", "byte 0x80"),
        ("a = 1".encode("utf-16"), "1:1", "is it UTF-16?"),
    ],
)
def test_what_is_no_text_is_located(tmp_path: Path, data: bytes, place: str, said: str) -> None:
    file = tmp_path / "odd.toml"
    file.write_bytes(data)
    with pytest.raises(InputError, match=r"odd\.toml") as caught:
        read_text(file)
    assert f"odd.toml:{place}: " in str(caught.value)
    assert said in str(caught.value)


def test_a_file_without_an_end_is_cut_at_the_limit() -> None:
    with pytest.raises(InputError, match=f"/dev/zero: has more than {MAX_BYTES} bytes"):
        read_text(Path("/dev/zero"))


def test_a_folder_that_cannot_be_written_is_told_of_before_the_runs(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"--out: .*file/x: Not a directory"):
        writable(tmp_path / "file" / "x")
    writable(tmp_path / "new" / "folder")
    assert (tmp_path / "new" / "folder").is_dir()


@pytest.mark.parametrize(("place", "said"), [(".", "is a folder"), ("file/x.csv", "there is no folder")])
def test_what_is_no_place_for_a_file_is_told(tmp_path: Path, place: str, said: str) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=said), replacing(tmp_path / place):
        pytest.fail("nothing is to be written")


def test_a_file_is_there_whole_or_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    with replacing(path) as file:
        file.write_text("first")

    def half() -> None:
        with replacing(path) as file:
            file.write_text("half of the sec")
            raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(RunError, match=r"table\.csv: No space left on device"):
        half()
    assert path.read_text() == "first"
    assert [one.name for one in tmp_path.iterdir()] == ["table.csv"]


@pytest.mark.parametrize(
    "text",
    [
        "a = " + "[" * 5000 + "]" * 5000,
        "a = 1\n" + ".".join("b" * 20_000) + " = 1",
        "a = 1\n" + '"b" . ' * 20_000 + "c = 1",
        "a = { " + "'b=#'." * 20_000 + "c = 1 }",
    ],
)
def test_what_is_nested_very_deeply_is_refused(text: str) -> None:
    with pytest.raises(toml.TOMLDecodeError):
        toml.loads(text)


def test_dots_in_values_comments_and_quoted_keys_are_no_parts() -> None:
    dots = ".".join("b" * 200)
    assert toml.loads(f'# {dots}\na = "{dots}"\n"{dots}" = 1') == {"a": dots, dots: 1}
