// One metric against another: a curve through the points of a sweep, with an interval in both directions at each.
//
// A curve of such a figure has x and y; x_low, x_high, low and high if there are intervals; and words: for each point
// the lines with its position on the curve and the measured values.

function away(values, ends, sign) {
  return values.map((value, i) => (ends[i] === null || ends[i] === undefined ? 0 : sign * (ends[i] - value)));
}

function cross(values, low, high, colour) {
  if (!low) return undefined;
  return {
    type: "data",
    symmetric: false,
    array: away(values, high, 1),
    arrayminus: away(values, low, -1),
    color: faded(colour, 0.6),
    thickness: 1.2,
    width: 3,
  };
}

function tradeOff(curve, entry, look) {
  const colour = look.curve(entry.colour);
  return {
    type: "scatter",
    mode: curve.x.length > 1 ? "lines+markers" : "markers",
    name: plain(entry.label),
    x: curve.x,
    y: curve.y,
    cliponaxis: false,
    line: { color: colour, width: 2, dash: dash(entry.dash) },
    marker: { color: colour, symbol: entry.symbol, size: curve.x.length > 1 ? 8 : 11 },
    error_x: cross(curve.x, curve.x_low, curve.x_high, colour),
    error_y: cross(curve.y, curve.low, curve.high, colour),
    text: curve.words.map((lines) => ["<b>" + plain(entry.label) + "</b>"].concat(lines.map(plain)).join("<br>")),
    hovertemplate: "%{text}<extra></extra>",
    hoverlabel: { align: "left" },
  };
}
