"""JavaScript modules as one script."""

from __future__ import annotations

from pathlib import Path

import pytest

from ackclock.web.bundle import BundleError, bundle


def written(folder: Path, **modules: str) -> Path:
    """The modules in files; the path of `main.js`."""
    for name, text in modules.items():
        (folder / f"{name}.js").write_text(text)
    return folder / "main.js"


def test_each_module_comes_once_and_before_those_that_need_it(tmp_path: Path) -> None:
    entry = written(
        tmp_path,
        main='import { left } from "./left.js";\nimport { right as other } from "./right.js";\nleft(other);\n',
        left='import { base } from "./base.js";\nexport function left() { return base; }\n',
        right='import { base } from "./base.js";\nclass Right {}\nexport const right = base;\nexport { Right };\n',
        base="export const base = 1;\n",
    )
    script = bundle(entry)
    places = [
        script.index(text) for text in ("const base = 1;", "function left()", "class Right", "left(other);")
    ]
    assert places == sorted(places)
    assert script.count("const base = 1;") == 1
    assert "const { right: other } = module2;" in script
    assert "return { right, Right };" in script
    assert "import" not in script
    assert "export" not in script


@pytest.mark.parametrize(
    "line",
    [
        'import other from "./other.js";',
        'import * as other from "./other.js";',
        'import "./other.js";',
        "export default 1;",
        'export { one } from "./other.js";',
    ],
)
def test_forms_that_it_does_not_know_are_refused(tmp_path: Path, line: str) -> None:
    with pytest.raises(BundleError, match="unsupported form of import"):
        bundle(written(tmp_path, main=line + "\n", other="export const one = 1;\n"))


def test_modules_in_a_ring_are_refused(tmp_path: Path) -> None:
    entry = written(
        tmp_path,
        main='import { one } from "./other.js";\nexport const two = one;\n',
        other='import { two } from "./main.js";\nexport const one = two;\n',
    )
    with pytest.raises(BundleError, match="imports itself through other"):
        bundle(entry)


@pytest.mark.parametrize("text", ["</script>", "</SCRIPT >", "<!-- a comment"])
def test_what_would_end_the_script_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(BundleError, match="a script in a page cannot contain"):
        bundle(written(tmp_path, main=f'const text = "{text}";\n'))
