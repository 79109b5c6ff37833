// The laboratory's page. The text of the scenario is what holds; all else is made from it or edits it.

import { given, unpacked } from "../engine/embedded.js";
import { Engine } from "../engine/engine.js";
import { Board } from "./board.js";
import { byId, later, say } from "./dom.js";
import { cut, put } from "./edit.js";
import { pathOf, roundTripOf } from "./elements.js";
import { Editor } from "./editor.js";
import { asCsv, asPng, save, slug, standalone } from "./exports.js";
import { OVER_UDP, fieldsOf, named } from "./fields.js";
import { withAnother, withoutGroup } from "./groups.js";
import { Inspector } from "./inspector.js";
import { lessons } from "./lessons.js";
import { picture } from "./picture.js";
import { format, parse } from "./quantity.js";
import { Runner } from "./runner.js";
import { packed, unpackedLink } from "./share.js";
import { at, plain, read } from "./toml.js";
import { WhatIf } from "./whatif.js";

// `text` is what holds, `shown` the text of the run that is drawn to its end; `root` is the text read, of the last that could
// be; `meaning` what it comes to, of the last that was right.
const state = { text: "", shown: null, root: null, meaning: null, chosen: "flow:0", lesson: null, keptText: null };

async function main() {
  const engine = await Engine.start(await unpacked("module"));
  const registry = engine.registry();
  const tables = engine.tables();
  const board = new Board();
  const whatIf = new WhatIf(engine.module);
  const runner = new Runner(engine, told);
  const editor = new Editor({
    area: byId("text"),
    behind: byId("behind"),
    problems: byId("problems"),
    changed: (text) => take(text),
  });
  const inspector = new Inspector(byId("inspector"), { registry, edit, choose, shape, act });
  const all = JSON.parse(new TextDecoder().decode(await unpacked("lessons")));
  const classroom = lessons(all, {
    begin: (lesson) => begin(lesson.scenario, lesson),
    apply: (set) =>
      state.meaning &&
      take(
        Object.entries(set).reduce(
          (text, [dotted, value]) => replaced(text, pathOf(dotted, read(text) ?? state.root, state.meaning), value),
          state.text,
        ),
      ),
  });

  // A text becomes the scenario.
  function take(text) {
    state.text = text;
    editor.text = text;
    byId("link-said").textContent = "";
    state.root = read(text) ?? state.root;
    inspect();
    inspector.disable(read(text) === null);
    runner.changed(text);
    remember();
  }

  function begin(text, lesson = null) {
    state.lesson = lesson;
    state.chosen = "flow:0";
    keep(null);
    take(text);
  }

  function inspect() {
    if (!state.root || !state.meaning) return;
    const flow = /^flow:(\d+)$/.exec(state.chosen);
    if (flow && !at(state.root, ["flows", Number(flow[1])])) state.chosen = "flow:0";
    const several = (at(state.root, ["flows"])?.items.length ?? 0) > 1;
    const buttons = state.chosen.startsWith("flow:")
      ? [["add", "Add a group like this"], ...(several ? [["remove", "Remove this group"]] : [])]
      : [];
    inspector.show(fieldsOf(state.chosen, state.root, state.meaning, registry, tables), { buttons });
  }

  function replaced(text, path, value) {
    if (value === undefined) return cut(text, path);
    return put(text, path, value);
  }

  // A field was changed: the text is edited where it says so, and that place is shown.
  function edit({ path, owner, instead = [] }, value) {
    const text = value === undefined ? state.text : instead.reduce(cut, state.text);
    const whole = owner && value !== undefined && !at(state.root, owner.path);
    const wanted = whole ? { name: owner.name, [path[path.length - 1]]: value } : value;
    take(replaced(text, whole ? owner.path : path, wanted));
    const node = at(state.root, path);
    if (node && node.from !== null) editor.reveal(node.from, node.to);
  }

  // Another name: parameters stay as far as it has them too.
  function choose(field, name) {
    if (name === null) return edit(field, undefined);
    const known = new Set(
      registry.find((one) => one.kind === field.registry && one.name === name)?.parameters.map((one) => one.name),
    );
    const now = plain(at(state.root, field.path));
    const kept =
      typeof now === "object" && now ? Object.entries(now).filter(([key]) => key !== "name" && known.has(key)) : [];
    if (named(now) === name) return undefined;
    if (field.registry === "application") fit(field.path.slice(0, 2), name);
    return edit(field, kept.length ? { name, ...Object.fromEntries(kept) } : name);
  }

  // What goes over UDP has no control and no transport; all else needs a control.
  function fit(flow, application) {
    const control = [...flow, "control"];
    if (OVER_UDP.includes(application)) state.text = cut(cut(state.text, control), [...flow, "transport"]);
    else if (!at(state.root, control)) state.text = put(state.text, control, "cubic");
    state.root = read(state.text) ?? state.root;
  }

  function shape(field, how, file) {
    const now = field.value;
    const steady =
      typeof now === "object" && now
        ? (now.nominal ?? now.cycle?.[0][1] ?? now.steps?.[0][1] ?? "10 Mbit/s")
        : (now ?? "10 Mbit/s");
    if (how === "steady") edit(field, steady);
    if (how === "cycle")
      edit(field, {
        cycle: [
          ["10 s", steady],
          ["10 s", format(parse(steady).value / 4, "rate")],
        ],
      });
    if (how === "trace" && file) {
      take(put(state.text, ["files", file.name, "text"], file.text));
      edit(field, { trace: file.name });
    }
  }

  function act(name, field) {
    const index = Number(state.chosen.split(":")[1]);
    if (name === "remove") take(withoutGroup(state.text, state.root, state.meaning, index));
    if (name === "add") take(withAnother(state.text, state.root, state.meaning, index));
    if (name === "each") {
      // A pair of hosts for each group, or the round trips would move to other flows when a group grows.
      const links = state.meaning.network.links;
      const each = state.meaning.flows.map((flow) => format(roundTripOf(flow, links), "time"));
      state.text = each.reduce((text, _, k) => put(text, ["flows", k, "pair"], k + 1), state.text);
      state.root = read(state.text) ?? state.root;
      edit({ ...field, path: ["dumbbell", "rtt"] }, each);
    }
  }

  function draw() {
    if (!state.meaning || !state.root) return;
    const box = byId("picture");
    const focused = document.activeElement?.closest?.("#picture [data-id]")?.dataset.id;
    box.innerHTML = picture(state.meaning, Math.max(300, box.clientWidth), state.chosen);
    if (focused) box.querySelector(`[data-id="${CSS.escape(focused)}"]`)?.focus();
  }

  function select(id) {
    state.chosen = id;
    draw();
    inspect();
    byId("run-settings").setAttribute("aria-pressed", String(id === "run"));
  }

  const status = (text, kind = "") => {
    byId("status").textContent = text;
    byId("status").className = kind;
  };

  // What the runner tells.
  function told(event) {
    byId("cap").hidden = event.kind !== "capped";
    byId("cancel").disabled = !["started", "progress"].includes(event.kind);
    if (event.kind === "checked") checked(event.answer);
    if (event.kind === "started") {
      byId("progress").value = 0;
      status(event.partial ? "Running; of so many flows only the links are drawn" : "Running");
    }
    if (event.kind === "progress") board.progress(event.fraction, event.series, event.meaning);
    if (event.kind === "finished") {
      board.finished(event.outcome, event.meaning);
      state.shown = event.text;
      status("Done");
      for (const id of ["keep", "svg", "png", "csv"]) byId(id).disabled = false;
    }
    if (event.kind === "cancelled") status("Cancelled", "wrong");
    if (event.kind === "failed") status(event.message, "wrong");
    if (event.kind === "capped") capped(event);
    document.body.dataset.status = event.kind;
  }

  function checked({ errors, warnings, meaning }) {
    editor.mark(errors, [...warnings, ...unasked(meaning)]);
    if (!meaning) {
      const first = errors[0];
      status(first?.line ? `Line ${first.line}: ${first.message}` : (first?.message ?? "The text is wrong"), "wrong");
      return;
    }
    state.meaning = meaning;
    draw();
    inspect();
    inspector.disable(false);
    whatIf.show(state.text, state.root, meaning);
  }

  function capped({ packets, seconds, shorter }) {
    status("Not run", "wrong");
    byId("cap-text").textContent =
      `This would send about ${format(packets / 1e6, "number", 2)} million packets and take about ${format(seconds, "time", 2)}.`;
    byId("shorten").textContent = `Shorten to ${format(shorter, "time", 2)}`;
    byId("shorten").onclick = () => edit({ path: ["duration"] }, format(shorter, "time", 2));
    byId("anyway").onclick = () => runner.now(state.text, { anyway: true });
  }

  // B: what holds now, to be compared with what comes.
  function keep(kept) {
    board.b = kept;
    state.keptText = kept ? state.text : null;
    byId("drop").disabled = !kept;
    byId("swap").disabled = !kept;
    board.draw();
  }

  // The set-up is in the address, so that reloading and sending it are enough.
  const remember = later(400, async () => {
    const hash = await link();
    try {
      history.replaceState(null, "", `#${hash}`);
    } catch {
      // A page inside another may not; the button still copies the link.
    }
  });

  function link() {
    return packed({ scenario: state.text, lesson: state.lesson?.name ?? null, b: state.keptText });
  }

  const figure = () => standalone(board.drawings(820), state.meaning.name);
  const listeners = {
    cancel: () => runner.cancel(),
    again: () => runner.now(state.text),
    keep: () => {
      keep(board.a?.result ? board.a : null);
      remember();
      say("Kept as B");
    },
    drop: () => {
      keep(null);
      remember();
    },
    swap: () => {
      const text = state.keptText;
      keep(board.a);
      take(text);
    },
    "run-settings": () => select("run"),
    svg: () => save(`${slug(state.meaning.name)}.svg`, figure(), "image/svg+xml"),
    png: async () => save(`${slug(state.meaning.name)}.png`, await asPng(figure())),
    csv: () => save(`${slug(state.meaning.name)}.csv`, asCsv(board.a.series), "text/csv"),
    toml: () => save(`${slug(state.meaning?.name ?? "scenario")}.toml`, state.text, "application/toml"),
    link: async () => {
      const address = `${location.href.split("#")[0]}#${await link()}`;
      history.replaceState(null, "", address);
      await copied(address);
    },
  };
  for (const [id, listener] of Object.entries(listeners)) byId(id).addEventListener("click", listener);
  byId("picture").addEventListener("click", (event) => {
    const element = event.target.closest("[data-id]");
    if (element) select(element.dataset.id);
  });
  byId("picture").addEventListener("keydown", (event) => {
    const element = event.target.closest("[data-id]");
    if (!element || (event.key !== "Enter" && event.key !== " ")) return;
    event.preventDefault();
    select(element.dataset.id);
  });
  new ResizeObserver(later(50, draw)).observe(byId("picture"));
  addEventListener("hashchange", () => start());

  async function start() {
    const setUp = await unpackedLink(location.hash);
    if (setUp?.scenario === state.text) return;
    const lesson = classroom.named(setUp ? setUp.lesson : given("given").lesson);
    const first = given("given").scenario ?? null;
    const whole = setUp ? setUp.scenario : (first ?? all[0].scenario);
    const about = setUp || first !== null ? lesson : all[0];
    classroom.show(about);
    if (setUp?.b) await compare(setUp.b);
    state.lesson = about ?? null;
    if (setUp?.b) take(whole);
    else begin(whole, about ?? null);
  }

  // The B of a link is run once, without progress.
  async function compare(text) {
    const answer = await engine.check(text);
    if (!answer.meaning) return;
    const { result } = await engine.run(text);
    state.text = text;
    keep({ meaning: answer.meaning, series: result.series, result });
  }

  await start();
  document.body.dataset.ready = "true";
  // For tests, and for whoever opens the console.
  globalThis.ackclock = { engine, state, board };
}

// What the page leaves to the command line.
function unasked(meaning) {
  const parts = [];
  if (meaning?.sweep.axes.length) parts.push("sweep");
  if (meaning?.replications > 1) parts.push("replications");
  return parts.length
    ? [`One run is made, with the values as they stand: ackclock run makes the ${parts.join(" and ")}.`]
    : [];
}

async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    say("The link is copied");
    byId("link-said").textContent = "Copied";
  } catch {
    byId("link-said").textContent = "The link is in the address bar";
  }
}

main().catch((error) => {
  byId("status").textContent = error.message;
  byId("status").className = "wrong";
  throw error;
});
