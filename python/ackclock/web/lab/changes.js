// What the inspector, a lesson and the buttons of an element ask for, as changes of the scenario's text.

import { cut, put } from "./edit.js";
import { pathOf, roundTripOf } from "./elements.js";
import { OVER_UDP, named } from "./fields.js";
import { withAnother, withoutGroup } from "./groups.js";
import { format, parse } from "./quantity.js";
import { setText, take } from "./scenario.js";
import { at, plain, read } from "./toml.js";

function replaced(text, path, value) {
  if (value === undefined) return cut(text, path);
  return put(text, path, value);
}

// A field was changed: the text is edited where it says so, and that place is shown.
export function edit(page, { path, owner, instead = [] }, value) {
  const { state, editor } = page;
  const text = value === undefined ? state.text : instead.reduce(cut, state.text);
  const whole = owner && value !== undefined && !at(state.root, owner.path);
  const wanted = whole ? { name: owner.name, [path[path.length - 1]]: value } : value;
  take(page, replaced(text, whole ? owner.path : path, wanted));
  const node = at(state.root, path);
  if (node && node.from !== null) editor.reveal(node.from, node.to);
}

// Another name: parameters stay as far as it has them too.
export function choose(page, field, name) {
  const { state, registry } = page;
  if (name === null) {
    edit(page, field, undefined);
    return;
  }
  const entry = registry.find((one) => one.kind === field.registry && one.name === name);
  const known = new Set(entry?.parameters.map((one) => one.name));
  const now = plain(at(state.root, field.path));
  if (named(now) === name) return;
  const kept =
    typeof now === "object" && now ? Object.entries(now).filter(([key]) => key !== "name" && known.has(key)) : [];
  if (field.registry === "application") fit(state, field.path.slice(0, 2), name);
  edit(page, field, kept.length ? { name, ...Object.fromEntries(kept) } : name);
}

// What goes over UDP has no control and no transport; all else needs a control.
function fit(state, flow, application) {
  const control = [...flow, "control"];
  if (OVER_UDP.includes(application)) setText(state, cut(cut(state.text, control), [...flow, "transport"]));
  else if (!at(state.root, control)) setText(state, put(state.text, control, "cubic"));
}

// Another form of a rate: steady, in a cycle, or as a file has it.
export function shape(page, field, how, file) {
  const now = field.value;
  const steady =
    typeof now === "object" && now
      ? (now.nominal ?? now.cycle?.[0][1] ?? now.steps?.[0][1] ?? "10 Mbit/s")
      : (now ?? "10 Mbit/s");
  if (how === "steady") edit(page, field, steady);
  if (how === "cycle") {
    const cycle = [
      ["10 s", steady],
      ["10 s", format(parse(steady).value / 4, "rate")],
    ];
    edit(page, field, { cycle });
  }
  if (how === "trace" && file) {
    take(page, put(page.state.text, ["files", file.name, "text"], file.text));
    edit(page, field, { trace: file.name });
  }
}

// What a button of the inspector asks for.
export function act(page, name, field) {
  const { state } = page;
  const index = Number(state.chosen.split(":")[1]);
  if (name === "remove") take(page, withoutGroup(state.text, state.root, state.meaning, index));
  if (name === "add") take(page, withAnother(state.text, state.root, state.meaning, index));
  if (name === "each") {
    // A pair of hosts for each group, or the round trips would move to other flows when a group grows.
    const links = state.meaning.network.links;
    const each = state.meaning.flows.map((flow) => format(roundTripOf(flow, links), "time"));
    setText(
      state,
      each.reduce((text, _, k) => put(text, ["flows", k, "pair"], k + 1), state.text),
    );
    edit(page, { ...field, path: ["dumbbell", "rtt"] }, each);
  }
}

// What a button of a lesson changes, {dotted path: value}.
export function apply(page, set) {
  const { state } = page;
  if (!state.meaning) return;
  const text = Object.entries(set).reduce(
    (text, [dotted, value]) => replaced(text, pathOf(dotted, read(text) ?? state.root, state.meaning), value),
    state.text,
  );
  take(page, text);
}
