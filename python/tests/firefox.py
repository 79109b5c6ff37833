"""Firefox without a window and without a network, by WebDriver BiDi (https://w3c.github.io/webdriver-bidi/), which it
speaks itself: Debian has no geckodriver."""

from __future__ import annotations

import itertools
import json
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import websocket
from axe import RUN, SERIOUS, script

_PREFERENCES = {
    # A proxy that does not answer stands for a network that is not there.
    "network.proxy.type": 1,
    "network.proxy.http": "127.0.0.1",
    "network.proxy.http_port": 9,
    "network.proxy.ssl": "127.0.0.1",
    "network.proxy.ssl_port": 9,
    "remote.active-protocols": 1,
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "toolkit.telemetry.reportingpolicy.firstRun": False,
}
_CALL = """async (given) => {
  const arguments_ = JSON.parse(given);
  const value = await (async function () { BODY }).apply(null, arguments_);
  return JSON.stringify(value ?? null);
}"""


class Firefox:
    """A window of Firefox."""

    def __init__(self, address: str) -> None:
        self._socket = websocket.create_connection(f"{address}/session", timeout=60, suppress_origin=True)
        self._numbers = itertools.count(1)
        self.errors: list[str] = []
        self._ask("session.new", {"capabilities": {}})
        self._ask("session.subscribe", {"events": ["log.entryAdded"]})
        (tree, *_) = self._ask("browsingContext.getTree", {})["contexts"]
        self._context = tree["context"]

    def open(self, page: Path, size: tuple[int, int]) -> None:
        """Open a page in a window of this size and wait until it is loaded."""
        viewport = {"width": size[0], "height": size[1]}
        self._ask("browsingContext.setViewport", {"context": self._context, "viewport": viewport})
        # A page whose address differs only behind the `#` would not be loaded anew.
        for address in ("about:blank", page.as_uri()):
            where = {"context": self._context, "url": address, "wait": "complete"}
            self._ask("browsingContext.navigate", where)

    def run(self, body: str, *arguments: Any) -> Any:
        """What the body of a function returns; a promise is waited for."""
        answer = self._ask(
            "script.callFunction",
            {
                "functionDeclaration": _CALL.replace("BODY", body),
                "awaitPromise": True,
                "target": {"context": self._context},
                "arguments": [{"type": "string", "value": json.dumps(arguments)}],
            },
        )
        assert answer["type"] == "success", answer["exceptionDetails"]["text"]
        return json.loads(answer["result"]["value"])

    def wait(self, what: str, condition: Callable[[], Any]) -> Any:
        """What the condition gives once it is true; a failure after 20 s without."""
        end = time.monotonic() + 20
        while time.monotonic() < end:
            if found := condition():
                return found
            time.sleep(0.02)
        pytest.fail(f"not within 20 s: {what}; the console says {self.errors}")

    def violations(self) -> list[list[str]]:
        """The serious violations on the page that axe-core finds."""
        self.run(f"{script()}; window.axe = axe;")
        found = self.run(f"return new Promise((done) => {{ {RUN.replace(DONE, '')} }})")
        return [one for one in json.loads(found) if one[1] in SERIOUS]

    def close(self) -> None:
        """End the session."""
        self._socket.close()

    def _ask(self, method: str, parameters: dict[str, Any]) -> Any:
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            told = json.loads(self._socket.recv())
            if told.get("method") == "log.entryAdded" and told["params"]["level"] == "error":
                self.errors.append(str(told["params"]["text"]))
            if told.get("id") == number:
                assert told["type"] == "success", f"{method}: {told}"
                return told["result"]


DONE = "const done = arguments[arguments.length - 1];"


@contextmanager
def offline_firefox(profile: Path) -> Iterator[Firefox]:
    """Firefox with a new profile; the test is skipped where it is not installed."""
    program = shutil.which("firefox-esr") or shutil.which("firefox")
    if program is None:
        pytest.skip("Firefox is not installed (on Debian: apt-get install firefox-esr)")
    profile.mkdir()
    lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in _PREFERENCES.items()]
    (profile / "user.js").write_text("\n".join(lines), encoding="utf-8")
    command = [program, "--headless", "--no-remote", "--profile", str(profile), "--remote-debugging-port=0"]
    said = profile / "said"
    with said.open("w", encoding="utf-8") as file:
        process = subprocess.Popen(command, stdout=file, stderr=subprocess.STDOUT)
    try:
        firefox = Firefox(_address(process, said))
        yield firefox
        firefox.close()
    finally:
        process.terminate()
        process.wait(timeout=30)


def _address(process: subprocess.Popen[bytes], said: Path) -> str:
    """Where Firefox listens, which it says when it is ready."""
    end = time.monotonic() + 60
    while time.monotonic() < end and process.poll() is None:
        if found := re.search(
            r"WebDriver BiDi listening on (ws://\S+)", said.read_text(encoding="utf-8", errors="replace")
        ):
            return found[1]
        time.sleep(0.05)
    pytest.fail(f"Firefox does not listen: {said.read_text(encoding='utf-8', errors='replace')[-500:]}")
