// Files to save: the figure as SVG and PNG, the values as CSV, the scenario as TOML.

import { escaped, make } from "./dom.js";

const MARGIN = 16;
const FONT = "font-family:system-ui,'DejaVu Sans',sans-serif;font-size:12px;fill:VAR";

export function save(name, content, type) {
  const url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  const link = make("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

// Joins several drawings, one below the other, into one file that needs no style sheet.
export function standalone(drawings, title) {
  const styles = getComputedStyle(document.documentElement);
  const colour = (name) => styles.getPropertyValue(name).trim();
  let top = MARGIN + 24;
  let width = 0;
  const parts = drawings.map((text) => {
    const [, wide, high] = /width="([\d.]+)" height="([\d.]+)"/.exec(text);
    const placed = text.replace("<svg ", `<svg x="${MARGIN}" y="${top}" `);
    top += Number(high) + MARGIN;
    width = Math.max(width, Number(wide) + 2 * MARGIN);
    return placed;
  });
  const inside = parts.join("").replace(/var\((--[\w-]+)\)/g, (_, name) => colour(name));
  const style = FONT.replace("VAR", colour("--text"));
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${top}" viewBox="0 0 ${width} ${top}" style="${style}"><style>.title{font-weight:600}.tick{font-size:11px;fill:${colour("--muted")}}</style><rect width="100%" height="100%" fill="${colour("--back")}"/><text x="${MARGIN}" y="${MARGIN + 8}" font-size="15" font-weight="600">${escaped(title)}</text>${inside}</svg>`;
}

// Returns the drawing as a PNG of twice its size.
export async function asPng(text) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = make("canvas", { width: image.width * 2, height: image.height * 2 });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}

// Returns the text of a cell; a name that a spreadsheet would run as a formula gets a quote before it, as in csv_cells.py.
function inert(value) {
  const text = value === null || value === undefined ? "" : String(value);
  return typeof value === "string" && /^[=+\-@\t\r]/.test(text) && isNaN(text) ? `'${text}` : text;
}

// Returns a result's values over time as CSV, with a column for each quantity of each flow and link.
export function asCsv(series) {
  const columns = [["time_s", series.time_s]];
  for (const kind of ["flows", "links"]) {
    for (const [name, quantities] of Object.entries(series[kind])) {
      for (const [quantity, values] of Object.entries(quantities)) columns.push([`${name}.${quantity}`, values]);
    }
  }
  const cell = (value) => {
    const text = inert(value);
    return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
  };
  const lines = series.time_s.map((_, at) => columns.map(([, values]) => cell(values[at])).join(","));
  return [columns.map(([name]) => cell(name)).join(","), ...lines, ""].join("\n");
}

// Returns a name for a file, from the scenario's.
export function slug(name) {
  return (
    name
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, "-")
      .replace(/^-|-$/g, "") || "scenario"
  );
}
