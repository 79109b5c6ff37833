// What the runner tells, on the page.

import { edit } from "./changes.js";
import { byId } from "./dom.js";
import { format } from "./quantity.js";
import { draw, inspect, status } from "./view.js";

export function told(page, event) {
  byId("cap").hidden = event.kind !== "capped";
  byId("cancel").disabled = !["started", "progress"].includes(event.kind);
  EVENTS[event.kind]?.(page, event);
  document.body.dataset.status = event.kind;
}

const EVENTS = {
  checked: (page, { answer }) => checked(page, answer),
  started: (_, { partial }) => {
    byId("progress").value = 0;
    status(partial ? "Running; with this many flows, only links are drawn" : "Running");
  },
  progress: ({ board }, { fraction, series, meaning }) => board.progress(fraction, series, meaning),
  finished: ({ board, state, seeds, answers }, { outcome, meaning, text }) => {
    board.finished(outcome, meaning, text);
    state.shown = text;
    answers.ran(board.a);
    status("Done");
    for (const id of ["keep", "svg", "png", "csv"]) byId(id).disabled = false;
    seeds.follow(text);
  },
  cancelled: () => status("Cancelled", "wrong"),
  failed: (_, { message }) => status(message, "wrong"),
  capped,
};

function checked(page, { errors, warnings, meaning }) {
  page.seeds.cancel();
  const { state, editor, inspector, whatIf } = page;
  editor.mark(errors, [...warnings, ...unasked(meaning)]);
  inspector.mark(errors, state.root);
  if (!meaning) {
    whatIf.refuse();
    const first = errors[0];
    status(first?.line ? `Line ${first.line}: ${first.message}` : (first?.message ?? "The scenario text has errors"), "wrong");
    return;
  }
  state.meaning = meaning;
  page.classroom.mark(state);
  draw(page);
  inspect(page);
  inspector.disable(false);
  whatIf.show(state.text, state.root, meaning);
}

function capped(page, { packets, seconds, shorter }) {
  status("Not run", "wrong");
  byId("cap-text").textContent =
    `This run would send about ${format(packets / 1e6, "number", 2)} million packets and take about ${format(seconds, "time", 2)}.`;
  byId("shorten").textContent = `Shorten the run to ${format(shorter, "time", 2)}`;
  byId("shorten").onclick = () => edit(page, { path: ["duration"] }, format(shorter, "time", 2));
  byId("anyway").onclick = () => page.runner.now(page.state.text, { anyway: true });
}

// What the page leaves to the command line.
function unasked(meaning) {
  const parts = [];
  if (meaning?.sweep.axes.length) parts.push("sweep");
  if (meaning?.replications > 1) parts.push("replications");
  return parts.length
    ? [`This page runs the scenario once, with the values in the text; to run the ${parts.join(" and the ")}, use ackclock run.`]
    : [];
}
