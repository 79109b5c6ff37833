// Writes a scenario as a text to read and change: values as `literal` writes them, each top-level table with a header.

import { literal } from "../lab/edit.js";
import { parse } from "../lab/quantity.js";

// The keys of a scenario that need many runs; a page makes one.
const MANY_RUNS = ["sweep", "replications", "precision"];

// Returns the TOML of one run of a scenario. Flows that a case leaves out by a late start never begin: as text of a
// file, such a start would be a mistake.
export function oneRun(document, seed) {
  const kept = Object.entries(document).filter(([key]) => !MANY_RUNS.includes(key));
  const flows = document.flows.map((flow) => (isLate(flow.start, document) ? { ...flow, start: "never" } : flow));
  return textOf({ ...Object.fromEntries(kept), flows, seed });
}

function isLate(start, { duration }) {
  return typeof start === "string" && (parse(start)?.value ?? 0) >= parse(duration).value;
}

const keyText = (key) => (/^[A-Za-z0-9_-]+$/.test(key) ? key : JSON.stringify(key));
const isTable = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
const areTables = (value) => Array.isArray(value) && value.length > 0 && value.every(isTable);

// Returns the TOML of a document, with plain values first, because keys below a header belong to it.
function textOf(document) {
  const entries = Object.entries(named(document));
  const lines = lined(entries.filter(([, value]) => !isTable(value) && !areTables(value)));
  for (const [key, value] of entries) {
    const [open, close] = isTable(value) ? ["[", "]"] : ["[[", "]]"];
    if (!isTable(value) && !areTables(value)) continue;
    for (const table of isTable(value) ? [value] : value) {
      lines.push("", `${open}${keyText(key)}${close}`, ...lined(Object.entries(table)));
    }
  }
  return `${lines.join("\n")}\n`;
}

function lined(entries) {
  return entries.map(([key, value]) => `${keyText(key)} = ${literal(value)}`);
}

// Moves every `name` to the front of its table: the simulator gives keys in alphabetical order.
function named(value) {
  if (Array.isArray(value)) return value.map(named);
  if (!isTable(value)) return value;
  const { name, ...others } = value;
  const rest = Object.entries(others).map(([key, one]) => [key, named(one)]);
  return Object.fromEntries(name === undefined ? rest : [["name", name], ...rest]);
}
