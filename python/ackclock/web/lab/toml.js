// Parses a TOML text with the place of every value, so that an edit can leave the rest unchanged.
//
// The simulator reports what is wrong with a text; here a wrong text is null. A node is
//   {type: "table", entries: Map(key -> {node, from, to}), inline, end}   from, to: the whole `key = value`
//   {type: "array", items: [node]}
//   {type: "string" | "number" | "boolean" | "other", value}
// and each has `from` and `to`, its place in the text. `end` of a table is the place for its next key.

class Wrong extends Error {}

class Reader {
  constructor(text) {
    this.text = text;
    this.at = 0;
  }

  fail() {
    throw new Wrong(`at ${this.at}`);
  }

  peek(count = 1) {
    return this.text.substr(this.at, count);
  }

  take(wanted) {
    if (this.peek(wanted.length) !== wanted) this.fail();
    this.at += wanted.length;
  }

  match(pattern) {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (!found) return null;
    this.at = pattern.lastIndex;
    return found[0];
  }

  blanks() {
    this.match(/[ \t]*/y);
  }

  // Skips blanks, line ends and comments.
  space() {
    this.match(/(?:[ \t\r\n]|#[^\n]*)*/y);
  }

  endOfLine() {
    this.match(/[ \t]*(?:#[^\n]*)?/y);
    if (this.at < this.text.length && this.match(/\r?\n/y) === null) this.fail();
  }

  key() {
    const keys = [];
    do {
      this.blanks();
      const quote = this.peek();
      keys.push(quote === '"' || quote === "'" ? this.string() : (this.match(/[A-Za-z0-9_-]+/y) ?? this.fail()));
      this.blanks();
    } while (this.match(/\./y));
    return keys;
  }

  string() {
    for (const quote of ['"""', "'''"]) {
      if (this.peek(3) !== quote) continue;
      const end = this.text.indexOf(quote, this.at + 3);
      if (end < 0) this.fail();
      const inside = this.text.slice(this.at + 3, end).replace(/^\r?\n/, "");
      this.at = end + 3;
      while (this.peek() === quote[0]) this.at += 1;
      return quote[0] === "'" ? inside : unescaped(inside.replace(/\\\r?\n\s*/g, ""), this);
    }
    const written = this.match(/"(?:[^"\\\n]|\\.)*"|'[^'\n]*'/y) ?? this.fail();
    return written[0] === "'" ? written.slice(1, -1) : unescaped(written.slice(1, -1), this);
  }

  value() {
    const from = this.at;
    const first = this.peek();
    if (first === "[") return this.array(from);
    if (first === "{") return this.inlineTable(from);
    if (first === '"' || first === "'") return { type: "string", value: this.string(), from, to: this.at };
    const word = this.match(/\d{4}-\d\d-\d\d \d\d:[^\s,\]}#]*|[^\s,\]}#]+/y) ?? this.fail();
    return { ...bare(word, this), from, to: this.at };
  }

  array(from) {
    const items = [];
    this.take("[");
    this.space();
    while (this.peek() !== "]") {
      items.push(this.value());
      this.space();
      if (this.peek() !== "]") this.take(",");
      this.space();
    }
    this.take("]");
    return { type: "array", items, from, to: this.at };
  }

  inlineTable(from) {
    const table = newTable(true);
    this.take("{");
    this.space();
    while (this.peek() !== "}") {
      this.pair(table);
      this.space();
      if (this.peek() !== "}") this.take(",");
      this.space();
    }
    this.take("}");
    return Object.assign(table, { from, to: this.at });
  }

  // Reads a `key = value` into `table`.
  pair(table) {
    const from = this.at;
    const keys = this.key();
    this.take("=");
    this.blanks();
    const node = this.value();
    const inner = keys.slice(0, -1).reduce((outer, key) => below(outer, key, this), table);
    const last = keys[keys.length - 1];
    if (inner.entries.has(last)) this.fail();
    inner.entries.set(last, { node, from, to: this.at });
  }
}

function newTable(inline = false) {
  return { type: "table", entries: new Map(), inline, from: null, to: null, end: null };
}

// Returns the table `key` of `table`, made if missing; of an array of tables, the last one.
function below(table, key, reader) {
  if (!table.entries.has(key)) table.entries.set(key, { node: newTable(), from: null, to: null });
  const { node } = table.entries.get(key);
  if (node.type === "table") return node;
  if (node.type === "array" && node.tables) return node.items[node.items.length - 1];
  return reader.fail();
}

const ESCAPES = { b: "\b", t: "\t", n: "\n", f: "\f", r: "\r", '"': '"', "\\": "\\" };

function unescaped(text, reader) {
  return text.replace(/\\(u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)/gs, (_, code) => {
    if (code.length > 1) return String.fromCodePoint(parseInt(code.slice(1), 16));
    return ESCAPES[code] ?? reader.fail();
  });
}

function bare(word, reader) {
  if (word === "true" || word === "false") return { type: "boolean", value: word === "true" };
  const number = Number(word.replace(/_/g, ""));
  if (!Number.isNaN(number)) return { type: "number", value: number };
  if (/^\d/.test(word) || /^[+-]?(inf|nan)$/.test(word)) return { type: "other", value: word };
  return reader.fail();
}

// Returns the text as a tree, or null if it is not TOML.
export function read(text) {
  const reader = new Reader(text);
  const root = Object.assign(newTable(), { from: 0, to: text.length, end: 0 });
  let table = root;
  try {
    for (reader.space(); reader.at < text.length; reader.space()) {
      if (reader.peek() === "[") table = header(reader, root);
      else {
        reader.pair(table);
        reader.endOfLine();
        table.end = reader.at;
      }
    }
  } catch (error) {
    if (error instanceof Wrong) return null;
    throw error;
  }
  return root;
}

function header(reader, root) {
  const from = reader.at;
  const many = reader.peek(2) === "[[";
  reader.take(many ? "[[" : "[");
  const keys = reader.key();
  reader.take(many ? "]]" : "]");
  reader.endOfLine();
  const outer = keys.slice(0, -1).reduce((table, key) => below(table, key, reader), root);
  const last = keys[keys.length - 1];
  let table;
  if (many) {
    if (!outer.entries.has(last)) {
      outer.entries.set(last, {
        node: { type: "array", items: [], tables: true, from: null, to: null },
        from,
        to: null,
      });
    }
    const { node } = outer.entries.get(last);
    if (!node.tables) reader.fail();
    table = newTable();
    node.items.push(table);
  } else {
    table = below(outer, last, reader);
    if (table.inline) reader.fail();
  }
  return Object.assign(table, { from, end: reader.at });
}

// Returns the node at a path of keys and indices, or undefined.
export function at(root, path) {
  return path.reduce((node, step) => {
    if (!node) return undefined;
    return node.type === "table" ? node.entries.get(step)?.node : node.items?.[step];
  }, root);
}

// Returns the value of a node as a plain value, or undefined.
export function plain(node) {
  if (!node) return undefined;
  if (node.type === "table")
    return Object.fromEntries([...node.entries].map(([key, entry]) => [key, plain(entry.node)]));
  return node.type === "array" ? node.items.map(plain) : node.value;
}
