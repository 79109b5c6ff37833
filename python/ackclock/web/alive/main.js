// "Change this and run it" on the page of a report: one seed of one case, in the reader's browser.
//
// Nothing is started, and the packed module is not unpacked, before the reader presses the button.

import { given, unpacked, unpackedText } from "../engine/embedded.js";
import { Engine } from "../engine/engine.js";
import { byId, later, make, say } from "../lab/dom.js";
import { Editor } from "../lab/editor.js";
import { queueingLinks, timeFigure, view } from "../lab/figures.js";
import { Runner } from "../lab/runner.js";
import { summaryTable } from "../lab/summary.js";
import { oneRun } from "./document.js";
import { compared } from "./recorded.js";

const PAUSE_MS = 150;

// `shown` is what the reader sees: the case, its recorded text and meaning, the curves drawn behind, the last run.
const state = { engine: null, runner: null, cases: null, editor: null, shown: null };
globalThis.ackclock = state; // for inspection on the console, and for tests

async function begin() {
  byId("alive-open").disabled = true;
  status("Starting the simulator");
  try {
    const texts = JSON.parse(new TextDecoder().decode(await unpacked("alive-cases")));
    state.cases = texts.cases.map((one) => ({ ...one, base: texts.base }));
    state.engine = await Engine.start(await unpackedText(await packedModule()));
    state.runner = new Runner(state.engine, heard);
  } catch (error) {
    byId("alive-open").disabled = false;
    status(`The simulator does not start: ${error.message}`);
    return;
  }
  byId("alive-case").focus(); // the button, which had the focus, goes
  byId("alive-open").hidden = true;
  for (const id of ["alive-bench", "alive-run", "alive-cancel", "alive-reset"]) byId(id).hidden = false;
  state.editor = new Editor({
    area: byId("text"),
    behind: byId("behind"),
    problems: byId("problems"),
    changed: later(PAUSE_MS, check),
  });
  addEventListener("resize", later(PAUSE_MS, draw));
  await choose();
}

// The module is inside the page, or in a script that the pages of a folder share: a page from a file can load nothing else.
function packedModule() {
  const inside = byId("module");
  if (inside) return Promise.resolve(inside.textContent.trim());
  const file = given("alive-given").module;
  return new Promise((done, failed) => {
    const script = make("script", { src: file });
    script.onload = () => done(globalThis.ackclockModule);
    script.onerror = () => failed(new Error(`${file} is not in this page's folder`));
    document.head.append(script);
  });
}

// Shows the selected case as it was run: its text with everything that the case sets, and its seed.
async function choose() {
  const index = Number(byId("alive-case").value);
  state.runner.cancel(); // the current run belongs to another case
  const { base, overrides, seed, recorded } = state.cases[index];
  const { document: whole, errors } = await state.engine.check(base, { overrides });
  if (!whole) {
    status(errors[0]?.message ?? "The simulator cannot read the scenario of this case.");
    return;
  }
  const text = oneRun(whole, seed);
  const { meaning } = await state.engine.check(text);
  if (index !== Number(byId("alive-case").value)) return;
  const behind = recorded && meaning ? view(recorded, meaning) : null;
  state.shown = { index, text, meaning, recorded, behind, now: null, result: null, unchanged: null, compared: null };
  state.editor.text = text;
  await run();
}

async function check(text) {
  const { errors, warnings } = await state.engine.check(text);
  if (text === state.editor.text) state.editor.mark(errors, warnings);
}

function run() {
  return state.runner.now(state.editor.text, { anyway: true });
}

// Handles the runner's messages.
function heard(told) {
  const { shown } = state;
  document.body.dataset.alive = told.kind;
  if (told.kind === "checked") {
    state.editor.mark(told.answer.errors, told.answer.warnings);
    if (!told.answer.meaning) status("The text has errors; they are listed below it.");
  }
  if (told.kind === "started") busy(true);
  if (told.kind === "progress") {
    byId("alive-progress").value = told.fraction;
    if (told.series) shown.now = view(told.series, told.meaning);
    draw();
  }
  if (told.kind === "finished") finished(told);
  if (told.kind === "cancelled") status("Cancelled");
  if (told.kind === "failed") status(told.message);
  if (["finished", "cancelled", "failed"].includes(told.kind)) busy(false);
}

function finished({ outcome, meaning, text }) {
  const { shown } = state;
  shown.now = view(outcome.result.series, meaning);
  shown.result = outcome;
  if (text === shown.text) {
    shown.unchanged = outcome.result;
    shown.compared = shown.recorded && compared(shown.recorded, outcome.result.series);
    // The unchanged run has all series that the report did not keep. If the results differ, the recorded ones stay.
    if (!shown.compared?.other) shown.behind = shown.now;
  }
  const changed = text !== shown.text;
  byId("alive-summary").replaceChildren(
    summaryTable([outcome.result], changed && shown.unchanged ? [shown.unchanged] : null, queueingLinks(meaning), { now: "Changed", kept: "Original run" }),
  );
  draw();
  const packets = `${outcome.packets.toLocaleString("en")} packets simulated in ${outcome.seconds.toFixed(2)} s`;
  status(`${changed ? "The changed text" : `Original run, seed ${meaning.seed}${agreement()}`}: ${packets}`);
  say(byId("status").textContent);
}

function agreement() {
  const { compared: found } = state.shown;
  if (!found) return "";
  const all = (found.same + found.other).toLocaleString("en");
  return found.other
    ? `, ${found.other.toLocaleString("en")} of ${all} recorded values differ`
    : `, equal to all ${all} recorded values`;
}

function draw() {
  const { shown } = state;
  if (!shown?.now) return;
  // The unchanged run itself needs no curves behind it.
  const behind = shown.behind === shown.now && !shown.recorded ? null : shown.behind;
  const other = shown.compared?.other || !shown.unchanged ? "dashed: recorded" : "dashed: the original run";
  const width = Math.max(280, byId("alive-figure").clientWidth);
  byId("alive-figure").innerHTML = timeFigure(shown.now, behind, width, { other });
}

function busy(is) {
  byId("alive-run").disabled = is;
  byId("alive-cancel").disabled = !is;
  byId("alive-progress").hidden = !is;
  byId("alive-progress").value = 0;
  if (is) status("Running");
}

function status(text) {
  byId("status").textContent = text;
}

byId("alive-open").addEventListener("click", begin);
byId("alive-case").addEventListener("change", () => state.engine && choose());
byId("alive-run").addEventListener("click", run);
byId("alive-cancel").addEventListener("click", () => state.runner.cancel());
byId("alive-reset").addEventListener("click", choose);
