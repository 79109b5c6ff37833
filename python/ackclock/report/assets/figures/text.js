// Colours of the theme in use, and texts and numbers in Plotly's form.

function theme() {
  const style = getComputedStyle(document.documentElement);
  const value = (name) => style.getPropertyValue(name).trim();
  return {
    text: value("--text"),
    muted: value("--muted"),
    grid: value("--grid"),
    line: value("--axis"),
    back: value("--back"),
    panel: value("--surface"),
    curve: (index) => value("--curve-" + index),
    font: getComputedStyle(document.body).fontFamily,
  };
}

function faded(colour, alpha) {
  const part = (at) => parseInt(colour.slice(at, at + 2), 16);
  return "rgba(" + part(1) + "," + part(3) + "," + part(5) + "," + alpha + ")";
}

// Escapes plain text, because Plotly interprets some HTML in texts.
function plain(text) {
  return String(text).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}

function wrapped(text, width) {
  const most = Math.max(12, Math.floor(width / 7.2));
  const lines = [""];
  for (const word of String(text).split(" ")) {
    const last = lines[lines.length - 1];
    if (last && last.length + 1 + word.length > most) lines.push(word);
    else lines[lines.length - 1] = last ? last + " " + word : word;
  }
  return lines.map(plain).join("<br>");
}

// Converts the legend's "9 4" to Plotly's form.
function dash(lengths) {
  return lengths ? lengths.replace(/ /g, "px,") + "px" : "solid";
}

function short(value) {
  return value === null || value === undefined ? "" : String(Number(value.toPrecision(4)));
}
