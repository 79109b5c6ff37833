// The laboratory's page. The text of the scenario is what holds; all else is made from it or edits it: `changes.js` turns
// what the reader does into an edit of the text, `scenario.js` takes the text in, `running.js` shows what its run reports.
// Functions that act on the page take it as their first argument: its state, the registry of names, the tables of the
// language, and its parts.

import { given, unpacked } from "../engine/embedded.js";
import { Engine } from "../engine/engine.js";
import { remember } from "./address.js";
import { Answers } from "./answers.js";
import { Board } from "./board.js";
import { listen } from "./buttons.js";
import { act, apply, choose, edit, shape } from "./changes.js";
import { byId, later } from "./dom.js";
import { Editor } from "./editor.js";
import { Inspector } from "./inspector.js";
import { compare } from "./kept.js";
import { lessons } from "./lessons.js";
import { Runner } from "./runner.js";
import { told } from "./running.js";
import { begin, take } from "./scenario.js";
import { Seeds } from "./seeds.js";
import { unpackedLink, wordOf } from "./share.js";
import { newState } from "./state.js";
import { status } from "./view.js";
import { WhatIf } from "./whatif.js";

async function main() {
  const page = await made();
  listen(page);
  addEventListener("hashchange", () => start(page));
  await start(page);
  document.body.dataset.ready = "true";
  // For tests, and for users who open the console.
  const { engine, state, board } = page;
  globalThis.ackclock = { engine, state, board };
}

// The page with its parts, before it has a scenario.
async function made() {
  const engine = await Engine.start(await unpacked("module"));
  const state = newState();
  const page = {
    state,
    engine,
    registry: engine.registry(),
    tables: engine.tables(),
    board: new Board(),
    whatIf: new WhatIf(engine.module),
  };
  page.seeds = new Seeds(engine.module, page.board);
  page.remember = later(400, () => remember(state));
  page.runner = new Runner(engine, (event) => told(page, event));
  page.editor = new Editor({
    area: byId("text"),
    behind: byId("behind"),
    problems: byId("problems"),
    changed: (text) => take(page, text),
  });
  page.inspector = new Inspector(byId("inspector"), {
    registry: page.registry,
    edit: (field, value) => edit(page, field, value),
    choose: (field, name) => choose(page, field, name),
    shape: (field, how, file) => shape(page, field, how, file),
    act: (name, field) => act(page, name, field),
  });
  page.lessons = JSON.parse(new TextDecoder().decode(await unpacked("lessons")));
  page.answers = new Answers(page);
  page.classroom = lessons(page.lessons, {
    begin: (lesson) => begin(page, lesson.scenario, lesson),
    apply: (set) => apply(page, set),
    form: (lesson) => page.answers.form(lesson),
  });
  return page;
}

// Begins with the set-up or the lesson in the address, else with the scenario or the lesson that the page was given, else with
// the first lesson.
async function start(page) {
  const { state, classroom } = page;
  const { hash } = location;
  const setUp = await unpackedLink(hash);
  const word = wordOf(hash);
  // Other words may be parts of the page, as in the link that skips to its content.
  if (word !== null && state.text && document.getElementById(word)) return;
  const asked = word === null ? undefined : classroom.named(word);
  warn(page, hash, setUp, asked);
  if (setUp?.scenario === state.text) return;
  if (asked) {
    begin(page, asked.scenario, asked);
    classroom.show(asked);
    return;
  }
  const { scenario: first, lesson: named } = given("given");
  const lesson = classroom.named(setUp ? setUp.lesson : named);
  const about = setUp || first !== null ? lesson : (lesson ?? page.lessons[0]);
  const whole = setUp ? setUp.scenario : (first ?? about.scenario);
  classroom.show(about);
  if (setUp?.b) await compare(page, setUp.b);
  state.lesson = about ?? null;
  if (setUp?.b) take(page, whole);
  else begin(page, whole, about ?? null);
}

// Warns of an address that is neither a set-up nor a lesson.
function warn({ lessons }, hash, setUp, asked) {
  const word = wordOf(hash);
  const right = hash === "" || setUp !== null || asked !== undefined || document.getElementById(word) !== null;
  byId("damaged").hidden = right;
  if (right) return;
  byId("damaged").textContent =
    word === null
      ? "The link to this set-up is damaged: a part of it is missing or changed, or it is larger than 10 MB. Ask the sender for a new link. This page shows the default scenario."
      : `There is no lesson "${word.slice(0, 40)}". The lessons are ${lessons.map((one) => one.name).join(", ")}. This page shows the default scenario.`;
}

main().catch((error) => {
  status(error.message, "wrong");
  throw error;
});
