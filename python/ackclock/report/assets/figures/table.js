// Returns the numbers of a figure as CSV. Those of long series are made here; all others are in the description.

function cells(rows) {
  const cell = (value) => {
    let text = value === null || value === undefined ? "" : String(value);
    // A name that a spreadsheet would run as a formula gets a quote before it, as in csv_cells.py.
    if (typeof value === "string" && /^[=+\-@\t\r]/.test(text) && isNaN(text)) text = "'" + text;
    return /[",\r\n]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text;
  };
  return rows.map((row) => row.map(cell).join(",")).join("\r\n") + "\r\n";
}

// Makes a row for each sample, and a column for each quantity.
function table(description) {
  if (description.csv) return description.csv;
  const titled = description.panels.some((panel) => panel.title);
  const quantities = Array.from(new Set(description.panels.map((panel) => panel.y.label)));
  const rows = [(titled ? ["panel"] : []).concat(["curve", description.x.label], quantities)];
  for (const panel of description.panels) {
    for (const curve of panel.curves) {
      const head = (titled ? [panel.title] : []).concat([description.entries[curve.entry].label]);
      xs(curve).forEach(function (x, i) {
        rows.push(head.concat([x], quantities.map((label) => (label === panel.y.label ? curve.y[i] : null))));
      });
    }
  }
  return cells(rows);
}
