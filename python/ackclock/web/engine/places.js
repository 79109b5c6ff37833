// Places in a text: lines and columns count characters from 1, an index counts UTF-16 units from 0.

// Returns the index of a place. A place beyond the end of a line or of the text is moved to that end.
export function indexOf(text, line, column) {
  let start = 0;
  for (let before = 1; before < line; before++) {
    const end = text.indexOf("\n", start);
    if (end < 0) return text.length;
    start = end + 1;
  }
  let index = start;
  for (let passed = 1; passed < column && index < text.length && text[index] !== "\n"; passed++) {
    index += text.codePointAt(index) > 0xffff ? 2 : 1;
  }
  return index;
}

// Returns a problem as reported by the core, with `from` and `to` as indices.
export function placed(problem, text) {
  const { line, column, end } = problem;
  if (line === null) return { ...problem, end: null, from: null, to: null };
  const from = indexOf(text, line, column);
  const to = end ? indexOf(text, end.line, end.column) : from;
  return { ...problem, end: end ?? { line, column }, from, to };
}
