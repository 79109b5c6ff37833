// The lessons: scenarios with a question, what to change, and what to look for.

import { byId, make } from "./dom.js";

const wide = () => matchMedia("(min-width: 60rem)").matches;

// begin(lesson): takes the lesson's scenario; apply(set): applies a button's changes, {dotted path: value}.
export function lessons(all, { begin, apply }) {
  const select = byId("lesson");
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
    if (!lesson) return;
    const list = (items) =>
      make(
        "ul",
        {},
        items.map((item) => make("li", {}, item)),
      );
    const tries = (lesson.try ?? []).map((one) =>
      make("button", { type: "button", "data-try": one.label, on: { click: () => apply(one.set) } }, one.label),
    );
    byId("lesson-box").replaceChildren(
      make("div", {}, make("p", { class: "question" }, lesson.question), make("p", { class: "tries" }, tries)),
      // On a phone the figure comes first.
      make("details", { open: wide() }, make("summary", {}, "What to change"), list(lesson.change)),
      // Closed at first, so that the reader can look for the answer.
      make("details", {}, make("summary", {}, "What to look for"), list(lesson.look)),
    );
  }
  return { show, named: (name) => all.find((one) => one.name === name) };
}
