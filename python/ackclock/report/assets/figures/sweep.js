// Gives the figure of a sweep, which comes as Plotly's own figure, the colours of the theme and places for its panels:
// in the rows and columns of the figure, or below each other on a narrow page.

function sweepTraces(description, look) {
  return structuredClone(description.data).map(function (trace) {
    const themed = (colour) => look.curve(description.colours.indexOf(colour));
    if (trace.line && trace.line.color) trace.line.color = themed(trace.line.color);
    if (trace.marker && trace.marker.color) trace.marker.color = themed(trace.marker.color);
    return trace;
  });
}

// Returns how many rows of text the legend takes; Plotly puts its entries into columns of the widest one.
function legendRows(description, width) {
  if (!description.entries.length) return 0;
  const widest = 48 + 7 * Math.max(...description.entries.map((entry) => entry.length));
  const title = description.layout.legend && description.layout.legend.title ? 1 : 0;
  return title + Math.ceil(description.entries.length / Math.max(1, Math.floor(width / widest)));
}

// Returns the places of the panels that have curves: their index, row, column, and whether they are the lowest.
function sweepPlaces(description, columns) {
  const filled = description.panels.map((panel, index) => ({ ...panel, index: index })).filter((panel) => !panel.empty);
  const asDrawn = columns === description.across;
  const places = filled.map(function (panel, order) {
    const at = asDrawn ? panel.index : order;
    return { ...panel, row: Math.floor(at / columns), column: at % columns };
  });
  for (const place of places) {
    place.lowest = !places.some((other) => other.column === place.column && other.row > place.row);
  }
  return places;
}

function sweepLayout(description, look, width, height) {
  const narrow = width < 560;
  const most = narrow ? 1 : width < 900 ? 3 : 6;
  const places = sweepPlaces(description, Math.min(description.across, most));
  const columns = 1 + Math.max(...places.map((place) => place.column));
  const rows = 1 + Math.max(...places.map((place) => place.row));
  const titled = places.some((place) => place.title);
  const result = structuredClone(description.layout);
  Object.assign(result, { width: width, height: height, autosize: false, paper_bgcolor: look.back, plot_bgcolor: look.back });
  result.font = { family: look.font, size: narrow ? 11 : 13, color: look.text };
  const margin = (result.margin = { l: narrow ? 64 : 76, r: 16, t: titled ? 30 : 14, b: 54 });
  const heat = Boolean(result.coloraxis);
  const lines = heat ? 0 : legendRows(description, width - margin.l - margin.r);
  margin.t += 20 * lines;
  if (heat && narrow) margin.t += 62;
  if (heat && !narrow) margin.r = 96;
  const across = width - margin.l - margin.r;
  const down = height - margin.t - margin.b;
  // Words that do not fit below a panel are turned.
  const words = description.data.some((trace) => (trace.x || []).some((x) => typeof x === "string" && x.length * columns > 12));
  const between = { x: (columns > 1 ? 26 : 0) / across, y: ((titled ? 62 : 40) + (words ? 62 : 0)) / down };
  const each = { x: (1 - between.x * (columns - 1)) / columns, y: (1 - between.y * (rows - 1)) / rows };
  const size = narrow ? 12 : 13;
  result.annotations = [];
  for (const place of places) {
    const number = place.index ? place.index + 1 : "";
    const x = result["xaxis" + number];
    const y = result["yaxis" + number];
    const left = place.column * (each.x + between.x);
    const top = 1 - place.row * (each.y + between.y);
    x.domain = [left, Math.min(1, left + each.x)];
    y.domain = [Math.max(0, top - each.y), top];
    x.nticks = Math.max(3, Math.floor((each.x * across) / 60));
    y.nticks = Math.max(3, Math.min(8, Math.floor((each.y * down) / 28)));
    x.showticklabels = true;
    x.title = { text: place.lowest ? wrapped(place.x, each.x * across) : "" };
    // Beside a scale above the squares, Plotly measures this distance from the wrong place.
    if (!heat) x.title.standoff = 8;
    const alone = place.column === 0;
    y.showticklabels = alone || !y.matches;
    y.title = { text: alone ? wrapped(place.y, each.y * down) : "", standoff: 8 };
    for (const axis of [x, y]) {
      Object.assign(axis, { gridcolor: look.grid, linecolor: look.line, tickcolor: look.line, automargin: true, zeroline: false });
    }
    if (place.title) {
      result.annotations.push({
        text: "<b>" + wrapped(place.title, each.x * across) + "</b>",
        xref: "paper",
        yref: "paper",
        x: left,
        y: top,
        xanchor: "left",
        yanchor: "bottom",
        yshift: 2,
        showarrow: false,
        align: "left",
        font: { size: size },
      });
    }
  }
  result.legend = Object.assign(result.legend || {}, {
    orientation: "h",
    x: 0,
    xanchor: "left",
    y: 1 + (titled ? 26 : 6) / down,
    yanchor: "bottom",
  });
  if (heat) {
    const bar = result.coloraxis.colorbar;
    // Every attribute is set, because Plotly keeps those of the last width.
    if (narrow) {
      Object.assign(bar, { orientation: "h", x: 0.5, xanchor: "center", y: 1 + (titled ? 24 : 6) / down, yanchor: "bottom" });
    } else {
      Object.assign(bar, { orientation: "v", x: 1.01, xanchor: "left", y: 0.5, yanchor: "middle" });
    }
    Object.assign(bar, { len: 1, thickness: 12 });
    bar.title = { text: wrapped(bar.title.text, narrow ? across : down), side: narrow ? "top" : "right" };
  }
  result.hoverlabel = { bgcolor: look.panel, bordercolor: look.line, font: { color: look.text, size: 12 } };
  return result;
}
