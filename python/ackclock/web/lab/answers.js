// The answer to a lesson, which a student writes and saves as a file: `ackclock lab --mark` reads it (lessons/answers.py).
//
// The file has the text, the scenario as it is, and the runs: of each variant of the lesson the last one without further changes and
// the last one with further changes, and the last run of any other scenario. Results are saved without their series, because marking makes the runs again.

import { byId, make, say } from "./dom.js";
import { save, slug } from "./exports.js";
import { SEEDS } from "./seeds.js";
import { plain, read } from "./toml.js";

const FORMAT = "ackclock answer 1";
const OWN = "your own";

export class Answers {
  #page;
  #student = "";
  #texts = new Map(); // by the name of the lesson
  #runs = new Map(); // by label: what the board shows of the run, which may get more seeds later
  #isSaved = true;

  constructor(page) {
    this.#page = page;
    addEventListener("beforeunload", (event) => {
      if (!this.#isSaved) event.preventDefault();
    });
  }

  // Called when a lesson begins.
  begin() {
    this.#runs.clear();
    this.#tell();
  }

  // Called when a run is over. `shown` is {text, result, others}.
  ran(shown) {
    const label = this.#labelOf(shown.text);
    // The newest is the last one.
    this.#runs.delete(label);
    this.#runs.set(label, shown);
    this.#tell();
  }

  // Returns the form, to be placed below a lesson.
  form(lesson) {
    const student = make("input", { id: "answer-student", type: "text", "aria-describedby": "answer-said", autocomplete: "name", ".value": this.#student });
    const text = make("textarea", { id: "answer-text", rows: 5, "aria-describedby": "answer-said", ".value": this.#texts.get(lesson.name) ?? "" });
    student.addEventListener("input", () => {
      this.#student = student.value;
      this.#isSaved = false;
    });
    text.addEventListener("input", () => {
      this.#texts.set(lesson.name, text.value);
      this.#isSaved = false;
    });
    const button = make("button", { id: "answer-save", type: "button", on: { click: () => this.#save(lesson) } }, "Save the answer as a file");
    return make(
      "details",
      { class: "answer" },
      make("summary", {}, "Your answer"),
      make("p", { class: "wide" }, make("label", { for: "answer-student" }, "Your name"), student),
      make("p", { class: "wide" }, make("label", { for: "answer-text" }, "What do you find, and why?"), text),
      make("p", { id: "answer-runs", class: "small muted" }, this.#runsText()),
      make("p", { class: "compare" }, button, make("span", { id: "answer-said", class: "small", role: "status" })),
    );
  }

  // The variant of the lesson whose values a text has, without regard to comments and layout, and whether other values differ from
  // the lesson's.
  #labelOf(text) {
    const { lesson } = this.#page.state;
    const document = plain(read(text));
    const variant = lesson?.try.find((one) =>
      Object.entries(one.set).every(([dotted, value]) => canonical(valueAt(document, dotted)) === canonical(value)),
    );
    if (!variant) return OWN;
    const own = withValues(plain(read(lesson.scenario)), variant.set);
    const isOnly = canonical(compared(own)) === canonical(compared(document));
    return isOnly ? `"${variant.label}"` : `"${variant.label}" with further changes`;
  }

  #runsText() {
    const labels = [...this.#runs.keys()];
    return labels.length
      ? `The file contains your text, the current scenario, and these runs: ${labels.join(", ")}.`
      : "The file contains your text, the current scenario, and your runs.";
  }

  #tell() {
    const runs = byId("answer-runs");
    if (runs) runs.textContent = this.#runsText();
  }

  #save(lesson) {
    for (const [id, missing] of [
      ["answer-student", "Write your name first."],
      ["answer-text", "Write your answer first."],
    ]) {
      const isMissing = byId(id).value.trim() === "";
      byId(id).setAttribute("aria-invalid", String(isMissing));
      if (!isMissing) continue;
      byId("answer-said").textContent = missing;
      byId(id).focus();
      return;
    }
    const { state, engine } = this.#page;
    const student = this.#student.trim();
    const runs = [...this.#runs.values()].map(({ text, result, others = [] }) => ({
      scenario: text,
      results: [result, ...others].slice(0, SEEDS).map(({ series, ...numbers }) => numbers),
    }));
    const words = [FORMAT, engine.version(), lesson.name, student, byId("answer-text").value, state.text];
    const [format, version, name, , answer, scenario] = words;
    const texts = JSON.stringify([...words, ...runs.map((run) => run.scenario)]);
    const file = { format, version, lesson: name, student, answer, scenario, runs, checksum: checksum(texts) };
    const called = `answer-${slug(name)}-${slug(student)}.json`;
    save(called, `${JSON.stringify(file, null, 1)}\n`, "application/json");
    this.#isSaved = true;
    byId("answer-said").textContent = `Saved as ${called}.`;
    say(`Saved as ${called}`);
  }
}

// Returns the document with other values, {dotted path: value}; tables in a list are found by their name, or by their index.
export function withValues(document, set) {
  for (const [dotted, value] of Object.entries(set)) {
    const steps = dotted.split(".");
    const last = steps.pop();
    const inner = (table, step) =>
      Array.isArray(table) ? table[placeOf(table, step)] : table?.[step];
    const around = steps.reduce(inner, document);
    if (around === undefined) continue;
    around[Array.isArray(around) ? placeOf(around, last) : last] = value;
  }
  return document;
}

// Returns the value at a dotted path; undefined if there is none.
function valueAt(document, dotted) {
  return dotted.split(".").reduce((table, step) => (Array.isArray(table) ? table[placeOf(table, step)] : table?.[step]), document);
}

// Returns a scenario without its title, and with its seed, which is 1 where the text has none.
function compared({ name, ...document }) {
  return { seed: 1, ...document };
}

function placeOf(list, step) {
  return list.findIndex((one, place) => (one?.name ?? String(place)) === step);
}

// Returns a document as JSON in which keys have one order.
export function canonical(value) {
  return JSON.stringify(value, (_, one) =>
    one && typeof one === "object" && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  );
}

// Returns the 64-bit FNV-1a hash of a text's UTF-8 bytes, in hexadecimal digits.
export function checksum(text) {
  let value = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(text)) value = BigInt.asUintN(64, (value ^ BigInt(byte)) * 0x100000001b3n);
  return value.toString(16).padStart(16, "0");
}
