// The lessons: scenarios with a question, what to change, and what to look for.

import { byId, isWide, make } from "./dom.js";
import { pathOf } from "./elements.js";
import { at, plain } from "./toml.js";

// On a phone the path is far below.
function toPath() {
  byId("path-title").scrollIntoView();
  byId("run-settings").focus({ preventScroll: true });
}

// begin(lesson): takes the lesson's scenario; apply(set): applies a button's changes, {dotted path: value}; form(lesson) returns
// the elements in which an answer is written.
export function lessons(all, { begin, apply, form }) {
  const select = byId("lesson");
  let shown = [];
  byId("to-figure").addEventListener("click", () => byId("outcome-title").scrollIntoView());
  select.append(
    make("option", { value: "" }, "your own"),
    ...all.map((one) => make("option", { value: one.name }, one.title)),
  );
  select.addEventListener("change", () => {
    const lesson = all.find((one) => one.name === select.value);
    if (lesson) begin(lesson);
    show(lesson);
  });

  function show(lesson) {
    select.value = lesson?.name ?? "";
    byId("lesson-box").hidden = !lesson;
    shown = [];
    if (!lesson) return;
    const list = (items) =>
      make(
        "ul",
        {},
        items.map((item) => make("li", {}, item)),
      );
    const tries = (lesson.try ?? []).map((one) =>
      make("button", { type: "button", "data-try": one.label, "aria-pressed": "false", on: { click: () => apply(one.set) } }, one.label),
    );
    const speaksOfReno = /\bReno\b/.test(JSON.stringify([lesson.title, lesson.look, lesson.try]));
    const called = speaksOfReno && lesson.scenario.includes('control = "sack"')
      ? make("p", { class: "called small muted" }, "In the settings, Reno is called sack: Reno's window with selective acknowledgements (SACK).")
      : null;
    const jump = make("button", { type: "button", on: { click: toPath } }, "Go to the path and its settings");
    shown = lesson.try ?? [];
    byId("lesson-box").replaceChildren(
      make(
        "div",
        { class: "asked" },
        make("p", { class: "question" }, lesson.question),
        make("p", { class: "learn" }, `You will learn ${lesson.learn}`),
        make("p", { class: "tries", role: "group", "aria-label": "Variants" }, tries),
      ),
      // On a phone the figure comes first.
      make(
        "details",
        { open: isWide() },
        make("summary", {}, "What to change"),
        list(lesson.change),
        called,
        make("p", { class: "jump" }, jump),
      ),
      // Closed at first, so that the reader can look for the answer. A page without answers has no `look`.
      ...(lesson.look ? [make("details", {}, make("summary", {}, "What to look for"), list(lesson.look))] : []),
      form(lesson),
    );
  }

  // Marks the button whose values are those of the scenario.
  function mark({ root, meaning }) {
    const isSet = ([dotted, value]) =>
      JSON.stringify(plain(at(root, pathOf(dotted, root, meaning)))) === JSON.stringify(value);
    const buttons = byId("lesson-box").querySelectorAll("[data-try]");
    shown.forEach((one, place) =>
      buttons[place]?.setAttribute("aria-pressed", String(Object.entries(one.set).every(isSet))),
    );
  }
  return { show, mark, named: (name) => all.find((one) => one.name === name) };
}
