// What can be changed of the chosen element, as a list of fields that the inspector draws.
//
// A field is {path, label, kind, value, help, ...}. Kinds: "time", "rate", "size", "packets", "number", "limit" (a slider with
// an editable text; low, high, linear, whole), "choice" (registry: kind of entry; none: how leaving it out is called), "word"
// (choices), "flag", "shape" (how a rate changes), "note" (text alone). `value` is what is written, undefined where there is
// nothing; `default` is what holds then. A parameter has an `owner`, {path, name}: what it is a parameter of, which has to be
// written too where only its default holds. `instead` are paths that cannot be beside it.
// A section is {title, fields, entry, choice, folded}.

import { linkPaths, pairsOf, written } from "./elements.js";
import { at, plain } from "./toml.js";
import { parse } from "./quantity.js";

export const OVER_UDP = ["cbr", "on-off", "mmpp", "video", "requests"];
const RATE = { kind: "rate", low: 1e5, high: 1e10 };
const DELAY = { kind: "time", low: 0, high: 1 };
const WIDER = 1000;

// `tables` are those of the scenario language, as the engine has them.
export function fieldsOf(element, root, meaning, registry, tables) {
  const declared = (table, key) => declaration(tables, table, key);
  if (!element || element === "run") return runFields(root, declared);
  const [kind, name] = [element.slice(0, element.indexOf(":")), element.slice(element.indexOf(":") + 1)];
  return kind === "flow"
    ? flowFields(root, meaning, Number(name), registry, declared)
    : linkFields(root, name, registry, declared);
}

const value = (root, path) => plain(at(root, path));

// What a key means, its default, and a field within what may be: {help, fallback, within(field)}.
function declaration(tables, table, name) {
  const key = tables.find((one) => one.name === table).keys.find((one) => one.name === name);
  return {
    help: `${key.meaning}.`,
    // The defaults that a form shows are texts, numbers and flags, which TOML and JSON write alike.
    fallback: key.default === null ? undefined : JSON.parse(key.default),
    within: (field) => {
      const range = key.ranges.find((one) => KINDS[one.quantity] === field.kind);
      const low = Math.max(field.low, range?.minimum ?? -Infinity);
      const high = Math.min(field.high, range?.maximum ?? Infinity);
      return { ...field, low, high };
    },
  };
}

function runFields(root, declared) {
  const field = (key, shown) => {
    const { help, fallback, within } = declared("scenario", key);
    return within({ path: [key], value: value(root, [key]), help, default: fallback, ...shown });
  };
  return [
    {
      title: "The run",
      fields: [
        field("duration", { label: "Duration", kind: "time", low: 1, high: 600 }),
        field("warmup", { label: "Warm-up", kind: "time", low: 0, high: 60, linear: true }),
        field("seed", { label: "Seed", kind: "number", low: 1, high: 100, linear: true, whole: true }),
      ],
    },
  ];
}

function flowFields(root, meaning, index, registry, declared) {
  const path = ["flows", index];
  const of = (key) => ({ path: [...path, key], value: value(root, [...path, key]) });
  const application = named(of("application").value) ?? "bulk";
  // With a control or a transport a source writes into a connection.
  const udp = OVER_UDP.includes(application) && !of("control").value && !of("transport").value;
  const duration = parse(value(root, ["duration"]))?.value ?? 60;
  const fields = [
    ...(udp ? [] : [{ ...of("control"), label: "Control", kind: "choice", registry: "control" }]),
    declared("flows", "count").within({
      ...of("count"),
      label: "Flows",
      kind: "number",
      low: 1,
      high: 100,
      whole: true,
      default: 1,
      help: declared("flows", "count").help,
    }),
    start(of("start"), duration, declared("flows", "start")),
    ...roundTrip(root, meaning, index, declared("dumbbell", "rtt")),
    ...(udp ? [] : echoes(of("transport"), registry)),
  ];
  const choices = [
    ["transport", "Transport", "rfc"],
    ["application", "Application", "bulk"],
  ].filter(([key]) => !(udp && key === "transport"));
  return [
    { title: `Flows ${meaning?.flows[index]?.group ?? ""}`, fields },
    ...(udp ? [] : parameters(of("control"), "control", registry, null)),
    ...choices.flatMap(([key, label, otherwise]) => {
      const own = of(key);
      const choice = { ...own, label, kind: "choice", registry: key, default: otherwise };
      return parameters(own, key, registry, otherwise, choice);
    }),
  ];
}

// Whether the flows take marks: a parameter of their transport, shown among the first.
function echoes(own, registry) {
  const name = named(own.value) ?? "rfc";
  const parameter = registry
    .find((one) => one.kind === "transport" && one.name === name)
    ?.parameters.find((one) => one.name === "ecn");
  return parameter ? [{ ...parameterField(parameter, own, name), label: "ECN" }] : [];
}

function start(own, duration, { help, fallback, within }) {
  if (own.value === "never") return { ...own, label: "Start", kind: "note", help: 'These flows never start (start = "never" in the scenario text).' };
  if (own.value === undefined || typeof own.value === "string") {
    return within({
      ...own,
      label: "Start",
      kind: "time",
      low: 0,
      high: duration,
      linear: true,
      default: fallback,
      help,
    });
  }
  return { ...own, label: "Start", kind: "note", help: "The start time is random, or differs between the flows; see the scenario text." };
}

// What the round trip of a dumbbell stands instead of.
const ACCESS_DELAYS = ["access", "left", "right"].map((side) => ["dumbbell", side, "delay"]);

// The round trip of a dumbbell is one for all pairs or a list for the pairs in turn.
function roundTrip(root, meaning, index, { within }) {
  if (!at(root, ["dumbbell"]) || !meaning?.flows[index]) return [];
  // There and back over the bottleneck is a part of it.
  const least = 2 * (meaning.network.links.find(({ name }) => name === "bottleneck")?.delay_s ?? 0);
  const field = within({
    label: "RTT",
    kind: "time",
    low: Math.max(1e-3, least),
    high: 2,
    instead: ACCESS_DELAYS,
  });
  const all = value(root, ["dumbbell", "rtt"]);
  if (!Array.isArray(all)) {
    const help =
      all === undefined
        ? "The round-trip time without queueing: by default, the sum of the link delays."
        : "The round-trip time without queueing, equal for all flows.";
    const each = meaning.flows.length > 1 ? { action: "each", actionLabel: "Set an RTT for each group" } : {};
    return [{ ...field, path: ["dumbbell", "rtt"], value: all, help, ...each }];
  }
  const pairs = pairsOf(meaning.flows[index], meaning.network.links);
  return pairs.slice(0, 4).map((pair) => ({
    ...field,
    path: ["dumbbell", "rtt", pair % all.length],
    value: all[pair % all.length],
    label: pairs.length > 1 ? `RTT ${pair + 1}` : field.label,
    help: "The round-trip time without queueing between this pair of hosts.",
  }));
}

function linkFields(root, name, registry, declared) {
  const paths = linkPaths(name, root);
  if (!paths.length) return [];
  const of = (key) => {
    const found = written(root, paths, key);
    return { path: found.path, value: plain(found.node) };
  };
  const access = paths.some((path) => ["access", "left", "right"].includes(path[1]));
  const shared =
    paths[0][1] === "hop"
      ? " (these settings apply to all hops)"
      : access && paths[0][0] !== "links"
        ? " (these settings also apply to other access links)"
        : "";
  const queue = of("queue");
  const fields = [
    ...rates(of("rate"), declared("link", "rate")),
    ...delays(of("delay"), root, access, declared("link", "delay")),
  ];
  const queueChoice = {
    ...queue,
    label: "Queue",
    kind: "choice",
    registry: "queue",
    none: access ? "no limit" : undefined,
    default: access ? undefined : "droptail",
  };
  const loss = of("loss");
  const lossChoice = { ...loss, label: "Loss", kind: "choice", registry: "loss", none: "none" };
  const open = (sections) => sections.map((section) => ({ ...section, folded: false }));
  return [
    { title: `Link ${name}${shared}`, fields },
    ...open(parameters(queue, "queue", registry, access ? null : "droptail", queueChoice)),
    ...(Array.isArray(loss.value)
      ? [{ title: "Loss", fields: [{ ...loss, label: "Loss", kind: "note", help: "This link has several loss models; see the scenario text." }] }]
      : parameters(loss, "loss", registry, null, lossChoice)),
  ];
}

function rates(own, { help, within }) {
  const how = { ...own, label: "Rate over time", kind: "shape" };
  if (typeof own.value !== "object") return [within({ ...RATE, ...own, label: "Rate", help }), how];
  const phases = (own.value.cycle ?? []).flatMap((phase, k) => [
    { ...RATE, path: [...own.path, "cycle", k, 1], value: phase[1], label: `Rate, phase ${k + 1}`, help: "" },
    {
      kind: "time",
      low: 0.1,
      high: 60,
      path: [...own.path, "cycle", k, 0],
      value: phase[0],
      label: `Length, phase ${k + 1}`,
      help: "",
    },
  ]);
  const steps = (own.value.steps ?? []).map((step, k) => ({
    ...RATE,
    path: [...own.path, "steps", k, 1],
    value: step[1],
    label: `Rate from ${step[0]}`,
    help: "",
  }));
  const trace = own.value.trace
    ? [{ ...own, label: "Rate", kind: "note", help: `From the trace ${own.value.trace}.` }]
    : [];
  return [...phases.slice(0, 8), ...steps.slice(0, 8), ...trace, how];
}

function delays(own, root, access, { help, within }) {
  if (access && at(root, ["dumbbell", "rtt"])) return [];
  if (typeof own.value === "object")
    return [{ ...own, label: "Delay", kind: "note", help: "The delay changes over time; see the scenario text." }];
  return [within({ ...DELAY, ...own, label: "Delay", help })];
}

export function named(written) {
  return typeof written === "object" && written !== null ? written.name : written;
}

// A section with the parameters of what is named, its choice first if there is one.
function parameters(own, kind, registry, otherwise, choice) {
  const name = named(own.value) ?? otherwise;
  const entry = registry.find((one) => one.kind === kind && one.name === name);
  const title = choice ? choice.label : `Parameters of ${name}`;
  const fields = inOrder(entry?.parameters ?? [])
    .filter((one) => kind !== "transport" || one.name !== "ecn")
    .map((parameter) => parameterField(parameter, own, name));
  if (!choice && !entry) return [];
  return [{ title, choice, entry, fields, folded: true }];
}

// What is asked for most comes first.
function inOrder(parameters) {
  const first = ["limit", "ecn"];
  const rank = ({ name }) => (first.includes(name) ? first.indexOf(name) : first.length);
  return [...parameters].sort((one, other) => rank(one) - rank(other));
}

const KINDS = {
  number: "number",
  time: "time",
  packets: "packets",
  size: "size",
  rate: "rate",
  "queue limit": "limit",
  "true or false": "flag",
  word: "word",
};

function parameterField(parameter, own, name) {
  const current = typeof own.value === "object" && own.value !== null ? own.value[parameter.name] : undefined;
  const kind = KINDS[parameter.unit] ?? "note";
  const bounds = boundsOf(parameter, kind);
  return {
    path: [...own.path, parameter.name],
    value: current,
    label: parameter.name,
    kind,
    parameter,
    ...bounds,
    owner: { path: own.path, name },
    default: parameter.default ?? undefined,
    choices: parameter.choices,
    help: parameter.summary,
  };
}

// From where to where a slider goes: what may be, but no wider than a thousand times the default either way.
function boundsOf(parameter, kind) {
  const most = parameter.maximum ?? undefined;
  const least = parameter.minimum ?? 0;
  if (kind === "limit") return { low: 1, high: 10000, kind: "limit" };
  const usual = parse(kind === "number" ? Number(parameter.default) : parameter.default)?.value;
  if (parameter.name === "probability") return { low: 1e-5, high: 0.5 };
  if (kind === "number" && most !== undefined && most <= 10) return { low: least, high: most, linear: true };
  const middle = usual || { time: 0.1, rate: 1e7, size: 1e5, packets: 50, number: 1 }[kind] || 1;
  return { low: Math.max(least, middle / WIDER), high: Math.min(most ?? Infinity, middle * WIDER) };
}
