// The sliders, lists and texts of the selected element. Each change is an edit of the text, which `show` then displays
// again, so text and sliders cannot differ.

import { breakable, make } from "./dom.js";
import { entryAbout, parameterAbout } from "./documentation.js";
import { format, parse, scale } from "./quantity.js";
import { at } from "./toml.js";

const SHAPES = [
  ["steady", "steady"],
  ["cycle", "two alternating phases"],
  ["trace", "from a trace file"],
];

export class Inspector {
  // edit(field, value): value undefined removes the key. choose(field, name): selects another control,
  // queue and so on. shape(field, how, file): sets how a rate changes. act(name, field): performs a button's action.
  constructor(box, { registry, edit, choose, shape, act }) {
    Object.assign(this, { box, registry, edit, choose, shape, act, signature: "", rows: new Map(), fields: [], errors: [] });
  }

  // Shows `sections`, see fields.js. Existing rows stay, so that a slider can be held while it moves.
  show(sections, { buttons = [] } = {}) {
    const signature = JSON.stringify(
      sections
        .map((section) => [
          section.title,
          section.entry?.name,
          section.choice?.path,
          section.fields.map(({ path, kind, label, action }) => [path, kind, label, action]),
        ])
        .concat([buttons]),
    );
    if (signature !== this.signature) this.build(sections, buttons);
    this.signature = signature;
    this.fields = sections.flatMap((section) => [section.choice, ...section.fields]).filter(Boolean);
    for (const field of this.fields) this.rows.get(keyOf(field))?.(field);
    this.tell();
  }

  // Shows the mistakes of the text, as the engine reports them, at the fields whose values they are about. `root` is the text read.
  mark(errors, root) {
    this.errors = errors.filter((error) => error.from !== null).map((error) => ({ ...error, path: this.pathAt(error, root) }));
    this.tell();
  }

  // Returns the path of the field with the smallest value around a mistake; null if none of those that are shown has it.
  pathAt({ from, to }, root) {
    const around = this.fields
      .map(({ path }) => ({ path, node: at(root, path) }))
      .filter(({ node }) => node && node.from !== null && node.from <= from && to <= node.to)
      .sort((one, other) => one.node.to - one.node.from - (other.node.to - other.node.from));
    return around[0]?.path ?? null;
  }

  tell() {
    for (const field of this.fields) {
      const input = document.getElementById(keyOf(field));
      if (!input || field.kind === "shape") continue;
      const told = this.errors.filter(({ path }) => path?.join() === field.path.join()).map(({ message }) => message.replace(/^\x60[^\x60]*\x60: /, ""));
      const id = `${input.id}-wrong`;
      document.getElementById(id)?.remove();
      input.setAttribute("aria-invalid", String(told.length > 0));
      input.removeAttribute("aria-describedby");
      if (!told.length) continue;
      input.setAttribute("aria-describedby", id);
      input.closest(".row").append(make("p", { id, class: "wrong help" }, told.join(" ")));
    }
  }

  // Disables all inputs while the text cannot be parsed.
  disable(disabled) {
    for (const one of this.box.querySelectorAll("input, select, button")) one.disabled = disabled;
  }

  build(sections, buttons) {
    const focused = this.box.contains(document.activeElement) ? document.activeElement.id : null;
    const open = new Set([...this.box.querySelectorAll("details[open]")].map((one) => one.dataset.title));
    this.rows.clear();
    this.box.replaceChildren(...sections.map((section) => this.section(section, open)), this.buttons(buttons));
    if (focused) document.getElementById(focused)?.focus();
  }

  buttons(buttons) {
    return make(
      "p",
      { class: "actions" },
      buttons.map(([name, label]) => make("button", { type: "button", on: { click: () => this.act(name) } }, label)),
    );
  }

  section(section, open) {
    const rows = section.fields.map((field) => this.row(field));
    const about = section.entry ? entryAbout(section.entry) : null;
    if (!section.choice && !section.entry) return make("section", {}, make("h3", {}, section.title), rows);
    const count = section.fields.length;
    const title = section.choice ? `Parameters of ${section.entry?.name}` : section.title;
    const held = section.folded
      ? fold(title, count, rows, about, open)
      : make(
          "div",
          {},
          about,
          rows.slice(0, 3),
          count > 3 ? fold(`More parameters of ${section.entry?.name}`, count - 3, rows.slice(3), null, open) : null,
        );
    return make("section", {}, section.choice ? this.row(section.choice) : null, section.entry ? held : null);
  }

  row(field) {
    if (field.kind === "choice" || field.kind === "word") return this.choice(field);
    if (field.kind === "flag") return this.flag(field);
    if (field.kind === "shape") return this.shapes(field);
    if (field.kind === "note")
      return make(
        "div",
        { class: "row choice" },
        make("span", { class: "label" }, breakable(field.label)),
        make("span", { class: "muted small" }, field.help ?? ""),
      );
    return this.slider(field);
  }

  slider(field) {
    const id = keyOf(field);
    const text = make("input", {
      id,
      type: "text",
      class: "written",
      autocomplete: "off",
      spellcheck: "false",
      "aria-label": `${field.label}, as text`,
    });
    const range = make("input", {
      id: `${id}-slider`,
      type: "range",
      min: 0,
      max: 1000,
      "aria-label": field.label,
      "data-path": field.path.join("."),
    });
    const reset = make(
      "button",
      {
        type: "button",
        class: "reset",
        "aria-label": `Reset ${field.label} to the default`,
        title: "Remove this setting from the scenario text",
      },
      "×",
    );
    let now = field;
    const unit = () => {
      const written = parse(now.value ?? now.default ?? "");
      if (now.kind === "number") return "number";
      return now.kind === "limit" ? (written?.kind ?? "packets") : now.kind;
    };
    const measure = () =>
      now.kind === "limit"
        ? scale(...limits(unit()))
        : scale(now.low, now.high, { linear: now.linear, whole: now.whole });
    range.addEventListener("input", () => {
      const value = measure().value(Number(range.value));
      this.edit(now, now.whole ? Math.round(value) : format(value, unit()));
    });
    text.addEventListener("input", () =>
      this.edit(now, text.value.trim() === "" ? undefined : asWritten(now, text.value)),
    );
    reset.addEventListener("click", () => this.edit(now, undefined));
    this.rows.set(keyOf(field), (shown) => {
      now = shown;
      const written = shown.value ?? shown.default;
      if (document.activeElement !== text) text.value = shown.value ?? "";
      text.placeholder = shown.value === undefined ? (shown.default ?? "not set") : "";
      // A wrong value, such as "300 apples" or a time for a rate, leaves the slider where it is.
      const found = parse(written ?? "") ?? { value: Number(written), kind: "number" };
      const value = found.kind === unit() ? found.value : NaN;
      // A position that already stands for this value stays: values are rounded, and a keyboard step may be smaller.
      if (Number.isFinite(value) && measure().value(Number(range.value)) !== value)
        range.value = measure().position(value);
      range.setAttribute("aria-valuetext", String(written ?? "not set"));
      range.classList.toggle("unset", shown.value === undefined);
      reset.hidden = shown.value === undefined || !("default" in shown || shown.parameter);
    });
    const action = field.action
      ? make(
          "button",
          { type: "button", class: "link", on: { click: () => this.act(field.action, field) } },
          field.actionLabel,
        )
      : null;
    return make(
      "div",
      { class: "row" },
      make("label", { for: id, class: "label" }, breakable(field.label)),
      range,
      make("span", { class: "held" }, text, reset),
      help(field),
      action,
    );
  }

  choice(field) {
    const id = keyOf(field);
    const names =
      field.kind === "word"
        ? field.choices
        : this.registry.filter((one) => one.kind === field.registry).map((one) => one.name);
    const first =
      field.none || (field.kind === "word" && !field.default)
        ? [make("option", { value: "" }, field.none ?? "not set")]
        : [];
    const select = make(
      "select",
      { id, "data-path": field.path.join(".") },
      first,
      names.map((name) => make("option", { value: name }, name)),
    );
    let now = field;
    select.addEventListener("change", () => {
      if (now.kind === "word") this.edit(now, select.value || undefined);
      else this.choose(now, select.value || null);
    });
    this.rows.set(id, (shown) => {
      now = shown;
      const name = shown.value !== null && typeof shown.value === "object" ? shown.value.name : shown.value;
      select.value = name ?? shown.default ?? "";
    });
    return make(
      "div",
      { class: "row choice" },
      make("label", { for: id, class: "label" }, breakable(field.label)),
      select,
      help(field),
    );
  }

  flag(field) {
    const id = keyOf(field);
    const box = make("input", { id, type: "checkbox", "data-path": field.path.join(".") });
    box.addEventListener("change", () => this.edit(field, box.checked));
    this.rows.set(id, (shown) => {
      box.checked = shown.value ?? shown.default === "true";
    });
    return make(
      "div",
      { class: "row choice" },
      make("label", { for: id, class: "label" }, breakable(field.label)),
      // Another label around the box, to be large enough for a finger.
      make("label", { class: "hit" }, box),
      help(field),
    );
  }

  shapes(field) {
    const id = `${keyOf(field)}-shape`;
    const select = make(
      "select",
      { id },
      SHAPES.map(([value, label]) => make("option", { value }, label)),
    );
    const file = make("input", {
      type: "file",
      class: "unseen",
      tabindex: "-1",
      "aria-label": "A trace file in mahimahi format",
    });
    let now = field;
    select.addEventListener("change", () => (select.value === "trace" ? file.click() : this.shape(now, select.value)));
    file.addEventListener("change", async () => {
      const [chosen] = file.files;
      if (chosen) this.shape(now, "trace", { name: chosen.name, text: await chosen.text() });
    });
    this.rows.set(keyOf(field), (shown) => {
      now = shown;
      const how =
        typeof shown.value === "object" && shown.value
          ? Object.keys(shown.value).find((key) => key !== "nominal")
          : "steady";
      for (const option of select.options) if (option.value === "steps") option.remove();
      if (how === "steps") select.append(make("option", { value: "steps" }, "steps (see the scenario text)"));
      select.value = how;
    });
    return make("div", { class: "row choice" }, make("label", { for: id, class: "label" }, breakable(field.label)), select, file);
  }
}

function fold(title, count, rows, about, open) {
  if (!count) return about;
  return make(
    "details",
    { "data-title": title, open: open.has(title) },
    make("summary", {}, `${title} (${count})`),
    about,
    rows,
  );
}

function help(field) {
  if (field.parameter) return parameterAbout(field.parameter);
  return field.help ? make("p", { class: "help" }, field.help) : null;
}

function keyOf(field) {
  return `field-${field.kind === "shape" ? "shape-" : ""}${field.path.join("-")}`.replace(/[^\w-]/g, "_");
}

// A number stays a number; anything else is text, and the check reports what is wrong with it.
function asWritten(field, text) {
  const number = Number(text);
  return field.kind === "number" && text.trim() !== "" && Number.isFinite(number) ? number : text;
}

function limits(kind) {
  return (
    { packets: [1, 10000, { whole: true }], size: [1500, 1.5e7], time: [1e-3, 10], bdp: [0.05, 20] }[kind] ?? [1, 10000]
  );
}
