// The picture of the network, the fields of the chosen element, and the line that says how the run is going.

import { byId, enlargement } from "./dom.js";
import { fieldsOf } from "./fields.js";
import { picture } from "./picture.js";
import { at } from "./toml.js";

export function status(text, kind = "") {
  byId("status").textContent = text;
  byId("status").className = kind;
}

export function draw({ state }) {
  if (!state.meaning || !state.root) return;
  const box = byId("picture");
  const focused = document.activeElement?.closest?.("#picture [data-id]")?.dataset.id;
  box.innerHTML = picture(state.meaning, Math.max(300, box.clientWidth) / enlargement(), state.chosen);
  if (focused) box.querySelector(`[data-id="${CSS.escape(focused)}"]`)?.focus();
}

// Shows the fields of the chosen element; the first group's where the chosen group is gone.
export function inspect({ state, registry, tables, inspector }) {
  if (!state.root || !state.meaning) return;
  const flow = /^flow:(\d+)$/.exec(state.chosen);
  if (flow && !at(state.root, ["flows", Number(flow[1])])) state.chosen = "flow:0";
  const several = (at(state.root, ["flows"])?.items.length ?? 0) > 1;
  const buttons = state.chosen.startsWith("flow:")
    ? [["add", "Add a group like this"], ...(several ? [["remove", "Remove this group"]] : [])]
    : [];
  inspector.show(fieldsOf(state.chosen, state.root, state.meaning, registry, tables), { buttons });
}

export function select(page, id) {
  page.state.chosen = id;
  draw(page);
  inspect(page);
  byId("run-settings").setAttribute("aria-pressed", String(id === "run"));
}
