// A text becomes the page's scenario.

import { byId } from "./dom.js";
import { keep } from "./kept.js";
import { read } from "./toml.js";
import { inspect } from "./view.js";

// Sets the text without a run, for a change in several steps; `take` ends it.
export function setText(state, text) {
  state.text = text;
  state.root = read(text) ?? state.root;
}

export function take(page, text) {
  page.editor.text = text;
  byId("link-said").textContent = "";
  setText(page.state, text);
  inspect(page);
  page.inspector.disable(read(text) === null);
  page.whatIf.changed(text);
  page.runner.changed(text);
  page.remember();
}

// Begins anew: with a scenario that has nothing to do with the one before.
export function begin(page, text, lesson = null) {
  page.state.lesson = lesson;
  page.state.chosen = "flow:0";
  keep(page, null);
  page.answers.begin();
  take(page, text);
}
