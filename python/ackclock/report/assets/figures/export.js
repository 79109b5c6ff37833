// Figures as pictures and as numbers, to take away.

function save(url, name) {
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
}

async function picture(element, format) {
  const Plotly = await library();
  const state = states.get(element);
  const look = theme();
  const panels = state.overlay || !state.description.panels ? 1 : state.description.panels.length;
  const shape = layout(state, look, 1200, Math.max(675, 120 + 190 * panels));
  shape.showlegend = true;
  shape.legend = { orientation: "h", x: 0, xanchor: "left", y: -0.16, yanchor: "top" };
  shape.legend.y = -80 / (shape.height - 150);
  shape.title = { text: plain(state.title), x: 0, xref: "paper", xanchor: "left", y: 1, yref: "container", yanchor: "top", pad: { t: 18 } };
  shape.margin.t += 48;
  for (const key of Object.keys(shape)) {
    const shown = element.layout && element.layout[key];
    if (/^[xy]axis/.test(key) && shown && shown.range) shape[key].range = shown.range.slice();
  }
  const seen = new Set();
  const data = traces(state, look).map(function (trace) {
    if (!trace.name || seen.has(trace.name)) return Object.assign(trace, { showlegend: false });
    seen.add(trace.name);
    return trace;
  });
  const options = { format: format, width: shape.width, height: shape.height, scale: format === "png" ? 2 : 1 };
  save(await Plotly.toImage({ data: data, layout: shape }, options), state.name + "." + format);
}

function cells(rows) {
  const cell = (value) => {
    const text = value === null || value === undefined ? "" : String(value);
    return /[",\n]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text;
  };
  return rows.map((row) => row.map(cell).join(",")).join("\r\n") + "\r\n";
}

function pairs(state) {
  const panel = state.description.panels[0];
  const rows = [["curve", "at", state.description.x.label, "low", "high", panel.y.label, "low", "high"]];
  for (const curve of panel.curves) {
    const label = state.description.entries[curve.entry].label;
    const end = (values, i) => (values ? values[i] : null);
    curve.x.forEach(function (x, i) {
      const at = curve.words[i].slice(0, -2).join("; ");
      rows.push([label, at, x, end(curve.x_low, i), end(curve.x_high, i), curve.y[i], end(curve.low, i), end(curve.high, i)]);
    });
  }
  return cells(rows);
}

function table(state) {
  if (state.description.kind === "trade-off") return pairs(state);
  if (state.description.kind === "sweep-figure") return sweepTable(state.description);
  const rows = [["panel", "curve", state.description.x.label, "value", "low", "high", "thesis"]];
  for (const panel of state.description.panels) {
    for (const curve of panel.curves) {
      const label = state.description.entries[curve.entry].label;
      const of = (values, i) => (Array.isArray(values) ? values[i] : values);
      if (curve.level !== undefined) {
        rows.push([panel.title || panel.y.label, label, "", curve.level, curve.low, curve.high, ""]);
        continue;
      }
      xs(curve).forEach(function (x, i) {
        rows.push([panel.title || panel.y.label, label, x, curve.y[i], of(curve.low, i), of(curve.high, i), of(curve.paper, i)]);
      });
    }
  }
  return cells(rows);
}
