// Draws a dot plot for files; the page itself draws it with its style sheet. Each case has a row, the first on top.

function dots(description, look) {
  const [curve] = description.panels[0].curves;
  const marks = (name, values, colour, symbol) => ({
    type: "scatter",
    mode: "markers",
    name: name,
    x: values,
    y: curve.x.map(plain),
    cliponaxis: false,
    marker: { color: colour, symbol: symbol, size: 11, line: { width: 2, color: colour } },
  });
  const measured = marks("measured, 95 % interval", curve.y, look.curve(0), "circle");
  measured.error_x = cross(curve.y, curve.low, curve.high, look.curve(0));
  const paper = curve.paper ? [marks("published", curve.paper, look.curve(1), "diamond-open")] : [];
  return paper.concat([measured]);
}

function dotsLayout(description, look, width) {
  const [panel] = description.panels;
  const [curve] = panel.curves;
  const across = axis(panel.y, look);
  across.title.text = plain(panel.y.label);
  const all = [curve.y, curve.low || [], curve.paper || []].flat();
  if (startsAtZero(all)) across.rangemode = "tozero";
  const down = axis({}, look);
  Object.assign(down, { type: "category", autorange: "reversed" });
  return Object.assign(bare(look, width, 130 + 34 * curve.x.length), { xaxis: across, yaxis: down });
}
