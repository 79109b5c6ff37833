// A scenario as a text that somebody can read and change: what `literal` writes, a table of the top with a header.

import { literal } from "../lab/edit.js";

// What a scenario asks for that takes many runs; a page makes one.
const MANY_RUNS = ["sweep", "replications", "precision"];

// The TOML of one run of a scenario.
export function oneRun(document, seed) {
  const kept = Object.entries(document).filter(([key]) => !MANY_RUNS.includes(key));
  return textOf({ ...Object.fromEntries(kept), seed });
}

const keyText = (key) => (/^[A-Za-z0-9_-]+$/.test(key) ? key : JSON.stringify(key));
const isTable = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
const areTables = (value) => Array.isArray(value) && value.length > 0 && value.every(isTable);

// The TOML of a document, its plain values first: what stands below a header belongs to it.
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

// The same with every `name` before what it is the name of: the simulator gives keys in the order of the alphabet.
function named(value) {
  if (Array.isArray(value)) return value.map(named);
  if (!isTable(value)) return value;
  const { name, ...others } = value;
  const rest = Object.entries(others).map(([key, one]) => [key, named(one)]);
  return Object.fromEntries(name === undefined ? rest : [["name", name], ...rest]);
}
