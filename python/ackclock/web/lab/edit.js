// Edits a TOML text in place: everything except the one value stays as it was written, including comments and layout.

import { at, read } from "./toml.js";

// Returns a value as TOML.
export function literal(value) {
  if (typeof value === "string") return JSON.stringify(value).replace(/\u007f/g, "\\u007F");
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  if (value && typeof value === "object") {
    const inside = Object.entries(value).map(([key, one]) => `${keyText(key)} = ${literal(one)}`);
    return inside.length ? `{ ${inside.join(", ")} }` : "{}";
  }
  return String(value);
}

function keyText(key) {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : JSON.stringify(key);
}

function splice(text, from, to, inserted) {
  return text.slice(0, from) + inserted + text.slice(to);
}

// Returns the text with `value` at `path`. If a name stands for a table ("cubic"), it becomes a table to hold the parameter.
export function put(text, path, value) {
  const root = read(text);
  if (!root) return text;
  return written(text, root, path, literal(value));
}

function written(text, root, path, toml) {
  const node = at(root, path);
  if (node && node.from !== null && (node.type !== "table" || node.inline))
    return splice(text, node.from, node.to, toml);
  if (node) return put(cut(text, path), path, readValue(toml));
  const key = path[path.length - 1];
  const outerPath = path.slice(0, -1);
  const outer = at(root, outerPath);
  if (!outer) return written(text, root, outerPath, `{ ${keyText(key)} = ${toml} }`);
  if (outer.type === "table")
    return outer.inline ? intoInline(text, outer, key, toml) : intoSection(text, root, outer, key, toml);
  if (outer.type === "array")
    return splice(text, outer.to - 1, outer.to - 1, `${outer.items.length ? ", " : ""}${toml}`);
  return splice(text, outer.from, outer.to, `{ name = ${literal(outer.value)}, ${keyText(key)} = ${toml} }`);
}

function readValue(toml) {
  const value = at(read(`x = ${toml}`), ["x"]);
  return value.type === "table"
    ? Object.fromEntries([...value.entries].map(([key, entry]) => [key, entry.node.value]))
    : value.value;
}

function intoInline(text, table, key, toml) {
  const inside = text.slice(table.from + 1, table.to - 1);
  const kept = inside.trimEnd();
  const comma = kept.trim() && !kept.endsWith(",") ? "," : "";
  return splice(text, table.from + 1, table.to - 1, `${kept}${comma} ${keyText(key)} = ${toml} `);
}

function intoSection(text, root, table, key, toml) {
  let end = table.end;
  // A table that contains only tables has no place of its own yet.
  if (end === null)
    return splice(text, text.length, text.length, `\n${dotted(root, table)}.${keyText(key)} = ${toml}\n`);
  if (end > 0 && text[end - 1] !== "\n") {
    text = splice(text, end, end, "\n");
    end += 1;
  }
  return splice(text, end, end, `${keyText(key)} = ${toml}\n`);
}

function dotted(root, table) {
  for (const [key, entry] of root.entries) if (entry.node === table) return keyText(key);
  return "";
}

// Returns the text without the value at `path`.
export function cut(text, path) {
  const root = read(text);
  const outer = root && at(root, path.slice(0, -1));
  const node = root && at(root, path);
  if (!node || !outer) return text;
  if (outer.type === "array" && outer.tables) return withoutSection(text, root, node);
  if (outer.type === "array")
    return withoutItem(
      text,
      outer.items.map((item) => [item.from, item.to]),
      path[path.length - 1],
    );
  const entry = outer.entries.get(path[path.length - 1]);
  if (node.type === "table" && !node.inline) return withoutSection(text, root, node);
  if (outer.inline) {
    const spans = [...outer.entries.values()].map((one) => [one.from, one.to]);
    return withoutItem(text, spans, [...outer.entries.values()].indexOf(entry));
  }
  const start = text.lastIndexOf("\n", entry.from - 1) + 1;
  const end = text.indexOf("\n", entry.to);
  return splice(text, start, end < 0 ? text.length : end + 1, "");
}

// Removes one of several items with commas between them.
function withoutItem(text, spans, index) {
  const [from, to] = spans[index];
  if (index + 1 < spans.length) return splice(text, from, spans[index + 1][0], "");
  return index > 0 ? splice(text, spans[index - 1][1], to, "") : splice(text, from, to, "");
}

// Removes a table and the tables below it, with the blank line and the comment before it.
function withoutSection(text, root, table) {
  if (table.from === null) return text;
  const starts = headers(root);
  const inside = new Set(headers(table));
  const next = starts.filter((start) => start > table.from && !inside.has(start)).sort((one, other) => one - other)[0];
  const to = next === undefined ? text.length : beforeComment(text, next);
  return splice(text, beforeComment(text, table.from), to, "");
}

// Returns the start of the comment lines right above `from`.
function beforeComment(text, from) {
  let start = from;
  for (;;) {
    const line = text.lastIndexOf("\n", start - 2) + 1;
    if (start === 0 || !text.slice(line, start).trimStart().startsWith("#")) return start;
    start = line;
  }
}

function headers(node) {
  const found = [];
  if (node.type === "array") for (const item of node.items) found.push(...headers(item));
  if (node.type !== "table" || node.inline) return found;
  if (node.from !== null && node.end !== 0) found.push(node.from);
  for (const entry of node.entries.values()) found.push(...headers(entry.node));
  return found;
}

// Returns the text with another table at its end.
export function append(text, header, table) {
  const lines = Object.entries(table).map(([key, value]) => `${keyText(key)} = ${literal(value)}\n`);
  return `${text.replace(/\s*$/, "\n")}\n[[${header}]]\n${lines.join("")}`;
}
