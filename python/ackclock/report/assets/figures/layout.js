// Plotly's layout of a figure: its axes, one above the other, and their titles.

// Dragging with a finger scrolls the page; dragging with a mouse zooms.
const touch = matchMedia("(pointer: coarse)").matches;

// The axis of a quantity that is never negative starts at zero, so that heights can be compared.
function startsAtZero(values) {
  let low = Infinity;
  for (const value of values) {
    if (value === null) continue;
    low = Math.min(low, value);
  }
  return low >= 0;
}

function fromZero(panels) {
  const of = (curve) => [curve.y || [], curve.paper || [], curve.level === undefined ? [] : [curve.level]].flat();
  return startsAtZero(panels.flatMap((panel) => panel.curves.flatMap(of)));
}

function axis(given, look) {
  const result = {
    type: given.log ? "log" : undefined,
    gridcolor: look.grid,
    linecolor: look.line,
    tickcolor: look.line,
    showline: true,
    zeroline: false,
    ticks: "outside",
    ticklen: 5,
    automargin: true,
    tickfont: { color: look.muted },
    title: { font: { color: look.text, size: look.size } },
    exponentformat: "power",
    fixedrange: touch,
  };
  if (given.range) result.range = given.log ? given.range.map(Math.log10) : given.range.slice();
  return result;
}

// The common parts of all layouts.
function bare(look, width, height) {
  look.size = width < 560 ? 12 : 14;
  return {
    width: width,
    height: height,
    margin: { l: width < 560 ? 56 : 72, r: 20, t: 12, b: 54 },
    autosize: false,
    paper_bgcolor: look.back,
    plot_bgcolor: look.back,
    font: { family: look.font, size: look.size, color: look.text },
    separators: ".\u202f",
    showlegend: false,
  };
}

function layout(state, look, width, height) {
  const description = state.description;
  if (description.kind === "sweep-figure") return sweepLayout(description, look, width, height);
  if (description.kind === "dots") return dotsLayout(description, look, width);
  const panels = arranged(state);
  const narrow = width < 560;
  const result = bare(look, width, height);
  const margin = result.margin;
  if (panels.length > 1 && panels[0].title) margin.t = 24;
  const inner = height - margin.t - margin.b;
  const gap = panels.length > 1 ? (panels[0].title ? 30 : 18) / inner : 0;
  const each = (1 - gap * (panels.length - 1)) / panels.length;
  const shared = sharing(state);
  Object.assign(result, {
    hovermode: "x unified",
    hoversubplots: "axis",
    hoverlabel: { bgcolor: look.panel, bordercolor: look.line, font: { color: look.text, size: 12 } },
    dragmode: touch ? false : "zoom",
    uirevision: state.overlay ? "overlay" : state.split ? "split" : "panels",
    xaxis: axis(description.x, look),
    annotations: [],
  });
  // Time fills the axis; the automatic range would leave room for markers at both ends.
  if (description.kind === "time" && !result.xaxis.range && !description.x.log) {
    const [first, last] = extent(description);
    // The last sample is often just before the end, whose tick should still be seen.
    const unit = Math.pow(10, Math.floor(Math.log10(last - first)) - 1);
    const round = Math.ceil(last / unit) * unit;
    result.xaxis.range = [first, round - last < 0.01 * (last - first) ? round : last];
  }
  if (description.kind === "trade-off") {
    // A point is a pair of numbers: shows the point under the pointer, not all points above it.
    result.hovermode = "closest";
    const across = panels.flatMap((panel) => panel.curves.flatMap((curve) => curve.x));
    if (!result.xaxis.range && !description.x.log && startsAtZero(across)) result.xaxis.rangemode = "tozero";
  }
  if (description.kind === "sweep" && !result.xaxis.range && !description.x.log) {
    const across = panels.flatMap((panel) => panel.curves.flatMap((curve) => curve.x || []));
    if (across.length && across.every((x) => typeof x === "number") && startsAtZero(across)) result.xaxis.rangemode = "tozero";
  }
  result.xaxis.anchor = panels.length > 1 ? "y" + panels.length : "y";
  result.xaxis.title.text = wrapped(description.x.label, width - margin.l - margin.r);
  result.xaxis.title.standoff = 10;
  result.xaxis.nticks = Math.max(4, Math.min(12, Math.floor((width - margin.l - margin.r) / 45)));
  result.xaxis.unifiedhovertitle = { text: plain(description.x.label.replace(/%/g, "")) + ": %{x}" };
  Object.assign(result.xaxis, { spikecolor: look.muted, spikethickness: 1, spikedash: "solid" });
  panels.forEach(function (panel, p) {
    const y = axis(panel.y, look);
    const top = 1 - p * (each + gap);
    y.domain = [Math.max(0, top - each), top];
    y.nticks = Math.max(3, Math.min(8, Math.floor((each * inner) / 26)));
    if (shared && p > 0) y.matches = "y";
    if (!panel.y.range && !panel.y.log && !panel.y.fitted && fromZero(shared ? panels : [panel])) {
      y.rangemode = "tozero";
    }
    if (!shared) {
      y.title.text = wrapped(panel.y.label, each * inner);
      y.title.standoff = 10;
    }
    if (panel.title && panels.length > 1) {
      result.annotations.push({
        text: "<b>" + plain(panel.title) + "</b>",
        xref: "paper",
        yref: "paper",
        x: 0,
        y: top,
        xanchor: "left",
        yanchor: "bottom",
        yshift: 2,
        showarrow: false,
        font: { size: look.size - 0.5 },
      });
    }
    result["yaxis" + (p ? p + 1 : "")] = y;
  });
  if (shared) {
    // Draws one title for all panels, in the middle.
    result.annotations.push({
      text: wrapped(panels[0].y.label, inner),
      textangle: -90,
      xref: "paper",
      yref: "paper",
      x: 0,
      xshift: narrow ? -36 : -48,
      y: 0.5,
      xanchor: "right",
      yanchor: "middle",
      showarrow: false,
    });
  }
  return result;
}
