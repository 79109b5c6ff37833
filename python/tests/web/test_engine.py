"""The engine in a browser: what it finds in a text, how a run grows, ends and is stopped, what it survives."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from ackclock import _typed_core as core

from .conftest import Ask
from .everything import registry

pytestmark = pytest.mark.browser

DUMBBELL = """\
duration = "20 s"

[dumbbell]
bottleneck = { rate = "10 Mbit/s", delay = "20 ms", queue = { name = "droptail", limit = "100 packets" } }
access = { rate = "100 Mbit/s", delay = "5 ms" }

[[flows]]
name = "a"
control = "cubic"
"""
LONG = DUMBBELL.replace('"20 s"', '"20000 s"')
"""Some ten seconds of computing."""


def test_the_registry_is_that_of_the_command_line(ask: Ask) -> None:
    assert ask("return lab.engine.registry()") == registry()
    assert ask("return lab.engine.tables()") == core.tables()
    assert ask("return lab.engine.fields()") == core.fields()
    assert ask("return lab.engine.version()") == core.VERSION


def test_a_mistake_is_marked_where_it_stands(ask: Ask) -> None:
    text = DUMBBELL.replace('"cubic"', '"qubic"').replace(
        '"a"', '"\N{DROMEDARY CAMEL}" # \N{GREEK SMALL LETTER MU}'
    )
    found = ask(
        """
        const checked = await lab.engine.check(given);
        return { checked, marked: checked.errors.map(({ from, to }) => given.slice(from, to)) };
        """,
        text.replace('control = "qubic"', '"\N{DROMEDARY CAMEL}" = 1\ncontrol = "qubic"'),
    )
    assert found["checked"]["meaning"] is None
    assert found["checked"]["document"]["flows"][0]["control"] == "qubic"
    assert '"qubic"' in found["marked"]
    [error] = [error for error in found["checked"]["errors"] if error["found"] == '"qubic"']
    assert error["hint"] == "`cubic`"
    assert (error["line"], error["column"], error["end"]) == (10, 11, {"line": 10, "column": 18})


def test_a_good_text_says_what_it_comes_to(ask: Ask) -> None:
    checked = ask("return lab.engine.check(given, { overrides: { 'flows.a.count': 2 } })", DUMBBELL)
    assert checked["errors"] == []
    meaning = checked["meaning"]
    assert meaning["flows"][0]["names"] == ["a-1", "a-2"]
    bottleneck = meaning["links"].index("bottleneck")
    assert all(bottleneck in path["forward"] for path in meaning["flows"][0]["paths"])
    assert meaning["network"]["links"][bottleneck]["queue_packets"] == 100
    assert ask("return lab.engine.check('duration = ')")["document"] is None


def test_of_many_checks_the_last_is_made(ask: Ask) -> None:
    found = ask(
        """
        const texts = [1, 2, 3, 4].map(seconds => given.replace("20 s", `${seconds} s`));
        const checked = await Promise.all(texts.map(text => lab.engine.check(text)));
        return checked.map(({ meaning }) => meaning.duration_s);
        """,
        DUMBBELL,
    )
    assert found == [1, 4, 4, 4]


def test_series_grow_to_those_of_the_result(ask: Ask) -> None:
    grown = ask(
        """
        const fractions = [];
        let seen = null, shorter = 0;
        const onProgress = (fraction, series) => {
          fractions.push(fraction);
          seen = JSON.parse(JSON.stringify(series));
          shorter += series.time_s.length < 1000;
        };
        const { result } = await lab.engine.run(given, { overrides: { duration: "2000 s" }, onProgress });
        const length = seen.time_s.length;
        const cut = JSON.parse(JSON.stringify(result.series), (key, value) =>
          Array.isArray(value) ? value.slice(0, length) : value);
        return { fractions, shorter, seen, cut };
        """,
        DUMBBELL,
    )
    fractions = grown["fractions"]
    assert fractions
    assert fractions == sorted(fractions)
    assert fractions[0] > 0
    assert fractions[-1] < 1
    assert grown["shorter"] > 0
    assert grown["seen"] == grown["cut"]


def test_what_appears_late_and_what_ends_early_has_nulls(ask: Ask) -> None:
    assert ask(
        """
        const growing = new lab.Growing();
        growing.add({ time_s: [1, 2], flows: { a: { x: [1, 2] } }, links: {} });
        growing.add(null);
        growing.add({ time_s: [3], flows: { a: { y: [3] } }, links: { l: { z: [4] } } });
        return growing.series;
        """
    ) == {
        "time_s": [1, 2, 3],
        "flows": {"a": {"x": [1, 2, None], "y": [None, None, 3]}},
        "links": {"l": {"z": [None, None, 4]}},
    }


def test_places_count_characters_and_indices_count_units(ask: Ask) -> None:
    text = "ab\n\N{DROMEDARY CAMEL}c\n"
    places = [[1, 1], [1, 3], [1, 9], [2, 1], [2, 2], [2, 3], [3, 1], [9, 9]]
    found = ask(
        "return given[1].map(([line, column]) => lab.indexOf(given[0], line, column))", [text, places]
    )
    # The camel is two units: a, b, the line's end, two for the camel, c, the line's end.
    assert found == [0, 2, 2, 3, 5, 6, 7, 7]


def test_a_run_is_cancelled_at_once_and_the_next_one_is_whole(ask: Ask) -> None:
    found = ask(
        """
        const why = run => run.then(() => "done", error => error.constructor.name);
        const first = lab.engine.run(given[1]), second = lab.engine.run(given[1]);
        await new Promise(resolve => setTimeout(resolve, 100));
        const from = performance.now();
        lab.engine.cancel();
        const ends = [await why(first), await why(second), performance.now() - from < 500];
        const { text } = await lab.engine.run(given[0], { seed: 5 });
        return { ends, text };
        """,
        [DUMBBELL, LONG],
    )
    assert found["ends"] == ["Cancelled", "Cancelled", True]
    assert found["text"] == core.document(DUMBBELL, "scenario", {}, 5)


def test_a_worker_that_does_not_listen_is_replaced(ask: Ask) -> None:
    # To find where a warm-up ends is one step: here a long one, as the flow that is waited for begins late.
    warmup = 'warmup = { until = "congestion-avoidance", at_most = "20000 s" }'
    noise = '[[flows]]\nname = "noise"\napplication = { name = "cbr", rate = "9 Mbit/s" }\n'
    slow = LONG.replace('"20000 s"', f'"20001 s"\n{warmup}') + f'start = "19999 s"\n{noise}'
    found = ask(
        """
        const engine = await lab.Engine.start(lab.module);
        const run = engine.run(given[1]).then(() => "done", error => error.constructor.name);
        await new Promise(resolve => setTimeout(resolve, 100));
        const from = performance.now();
        engine.cancel();
        const checking = engine.check(given[0]), next = engine.run(given[0], { seed: 5 });
        const { errors } = await checking, { text } = await next;
        engine.stop();
        return { run: await run, errors, text, soon: performance.now() - from < 5000 };
        """,
        [DUMBBELL, slow],
    )
    assert found == {
        "run": "Cancelled",
        "errors": [],
        "text": core.document(DUMBBELL, "scenario", {}, 5),
        "soon": True,
    }


def test_after_the_end_nothing_waits_for_ever(ask: Ask) -> None:
    found = ask(
        """
        const engine = await lab.Engine.start(lab.module);
        const asked = [engine.check(given), engine.check(given), engine.run(given), engine.run(given)];
        engine.stop();
        asked.push(engine.check(given), engine.run(given));
        return Promise.all(asked.map(one => one.then(() => "done", error => error.constructor.name)));
        """,
        DUMBBELL,
    )
    assert found == ["Cancelled"] * 6


def test_what_is_wrong_or_too_large_is_told(ask: Ask) -> None:
    found = ask(
        """
        const why = toml => lab.engine.run(toml).then(() => "done",
          ({ constructor, message, errors }) => ({ name: constructor.name, message, errors }));
        return Promise.all(given.map(why));
        """,
        [
            DUMBBELL.replace("cubic", "qubic"),
            DUMBBELL.replace('"20 s"', '"500000 s"'),
            # 30 Gbit/s in packets of 1500 B, 2.5 million a second, into a queue without limit: too many to hold.
            DUMBBELL.replace("100 packets", "unlimited")
            .replace('"100 Mbit/s"', '"40 Gbit/s"')
            .replace('"20 s"', '"1 s"')
            .replace(
                'control = "cubic"', 'application = { name = "cbr", rate = "30 Gbit/s", packet = "1472 B" }'
            ),
        ],
    )
    assert found[0]["name"] == "WrongScenario"
    assert DUMBBELL.replace("cubic", "qubic")[found[0]["errors"][0]["from"] :].startswith('"qubic"')
    assert found[1]["name"] == "RunFailed"
    assert "at most 1e8" in found[1]["message"]
    assert found[2]["name"] == "RunFailed", found[2]
    assert "packets were in the network" in found[2]["message"]


def test_a_pool_gives_the_outcomes_in_the_order_of_the_jobs(ask: Ask) -> None:
    found = ask(
        """
        const pool = await lab.Pool.start(lab.module, { workers: 2 });
        const order = [], fractions = [];
        const jobs = [1, 2, 3].map(seed => ({ toml: given, seed })).concat({ toml: "no scenario" });
        const outcomes = await pool.run(jobs, {
          onResult: index => order.push(index), onProgress: fraction => fractions.push(fraction) });
        const again = pool.run(jobs.concat(jobs, jobs)).then(() => "done", error => error.constructor.name);
        pool.cancel();
        const answer = { order, fractions, again: await again,
          seeds: outcomes.map(({ result, error }) => result?.seed ?? error.constructor.name),
          series: outcomes[0].result.series };
        pool.stop();
        return answer;
        """,
        DUMBBELL,
    )
    assert found["seeds"] == [1, 2, 3, "WrongScenario"]
    assert found["series"] is None
    assert sorted(found["order"]) == [0, 1, 2, 3]
    assert found["fractions"] == sorted(found["fractions"])
    assert found["fractions"][-1] == 1
    assert found["again"] == "Cancelled"


def test_a_panic_is_told_and_its_memory_is_not_used_again(ask: Ask) -> None:
    found = ask(
        """
        const module = await WebAssembly.compile(Uint8Array.from(atob(given), unit => unit.charCodeAt(0)));
        const engine = await lab.Engine.start(module);
        const why = () => engine.check("").then(() => "done", error => error.message);
        const answer = [await why(), await why()];
        engine.stop();
        return answer;
        """,
        base64.b64encode(panicking()).decode(),
    )
    assert found == ["it broke", "it broke"]


def panicking() -> bytes:
    """A module like the simulator's that traps at its first check, and whose memory shows that it did."""

    def vector(*items: bytes) -> bytes:
        return bytes([len(items)]) + b"".join(items)

    def sized(content: bytes) -> bytes:
        assert len(content) < 128
        return bytes([len(content)]) + content

    def named(name: str) -> bytes:
        return sized(name.encode())

    message = b'"it broke"'
    nothing, number, room = 0, 1, 2  # () -> (), () -> i32, (i32) -> i32
    types = vector(b"\x60\x00\x00", b"\x60\x00\x01\x7f", b"\x60\x01\x7f\x01\x7f")
    functions: dict[str, tuple[int, bytes]] = {
        "lab_ready": (nothing, b""),
        "lab_catalogue": (nothing, b""),
        "lab_room": (room, b"\x41\xc0\x00"),  # i32.const 64
        "lab_answer": (number, b"\x41\x00"),
        "lab_answer_length": (number, b"\x41" + bytes([len(message)])),
        # Where byte 63 is zero, it is set and the function traps; else it returns 1, as if nothing had been wrong.
        "lab_check": (
            number,
            b"\x41\x3f\x2d\x00\x00\x45\x04\x40\x41\x3f\x41\x01\x3a\x00\x00\x00\x0b\x41\x01",
        ),
    }
    exports = [named(name) + b"\x00" + bytes([index]) for index, name in enumerate(functions)]
    sections: list[tuple[int, Any]] = [
        (1, types),
        (3, vector(*(bytes([kind]) for kind, _ in functions.values()))),
        (5, vector(b"\x00\x01")),
        (7, vector(*exports, named("memory") + b"\x02\x00")),
        (10, vector(*(sized(b"\x00" + body + b"\x0b") for _, body in functions.values()))),
        (11, vector(b"\x00\x41\x00\x0b" + sized(message))),
    ]
    return b"\x00asm\x01\x00\x00\x00" + b"".join(bytes([kind]) + sized(content) for kind, content in sections)
