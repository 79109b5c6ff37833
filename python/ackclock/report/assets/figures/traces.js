// Converts the description of a figure to Plotly's traces.
//
// A figure's description (JSON inside its element):
//   kind     "time", "sweep", "trade-off" or "dots"
//   x        {label, log, range}
//   panels   [{title, y: {label, log, range}, curves: [...]}], one above the other
//   shared   whether the panels have the same vertical axis, so that they can be laid over each other
//   entries  [{label, colour, dash, symbol}], the legend
//   csv      its numbers as a table, unless that would double the page
// A curve: entry (index), y with x or x0 and dx, low and high (the interval), paper (the published values);
// or level, low and high for a value that does not depend on x. For trade-offs see trade-off.js.

function xs(curve) {
  if (curve.x) return curve.x;
  const step = curve.dx;
  return curve.y.map((_, i) => Number((curve.x0 + i * step).toPrecision(9)));
}

// Returns the band as closed outlines, one for each stretch without gaps.
function bands(x, low, high, log) {
  const parts = [];
  let part = null;
  x.forEach(function (at, i) {
    if (low[i] === null || high[i] === null || (log && high[i] <= 0)) {
      part = null;
      return;
    }
    if (!part) parts.push((part = { x: [], low: [], high: [] }));
    part.x.push(at);
    part.low.push(log && low[i] <= 0 ? high[i] / 100 : low[i]);
    part.high.push(high[i]);
  });
  return parts.map((p) => ({
    x: p.x.concat(p.x.slice().reverse()),
    y: p.high.concat(p.low.slice().reverse()),
  }));
}

// Returns where a level starts and ends: the extent of the other curves.
function extent(description) {
  const all = description.panels.flatMap((panel) =>
    panel.curves.flatMap((c) => (c.level === undefined ? xs(c) : []))
  );
  if (all.some((x) => typeof x === "string")) return Array.from(new Set(all));
  // Avoids Math.min(...all), because a figure may have more values than a call may have arguments.
  return all.length ? [all.reduce((a, b) => Math.min(a, b)), all.reduce((a, b) => Math.max(a, b))] : [0, 1];
}

function traces(state, look) {
  const description = state.description;
  if (description.kind === "sweep-figure") return sweepTraces(description, look);
  if (description.kind === "dots") return dots(description, look);
  const time = description.kind === "time";
  const result = [];
  arranged(state).forEach(function (panel, p) {
    const yaxis = p === 0 ? "y" : "y" + (p + 1);
    for (const curve of panel.curves) {
      if (state.hidden.has(curve.entry)) continue;
      const entry = description.entries[curve.entry];
      if (description.kind === "trade-off") {
        result.push(tradeOff(curve, entry, look));
        continue;
      }
      const colour = look.curve(entry.colour);
      const level = curve.level !== undefined;
      // A curve with its own panel needs no markers to distinguish it.
      const alone = time && panel.curves.length === 1;
      const x = level ? extent(description) : xs(curve);
      const spread = (value) => (level ? x.map(() => value) : value);
      const y = level ? spread(curve.level) : curve.y;
      const low = curve.low === undefined ? null : spread(curve.low);
      const high = curve.high === undefined ? null : spread(curve.high);
      if (low) {
        for (const band of bands(x, low, high, panel.y.log)) {
          result.push({
            type: "scatter",
            mode: "lines",
            x: band.x,
            y: band.y,
            yaxis: yaxis,
            fill: "toself",
            fillcolor: faded(colour, 0.2),
            line: { width: 0 },
            hoverinfo: "skip",
            showlegend: false,
          });
        }
      }
      result.push({
        type: "scatter",
        mode: level || alone ? "lines" : "lines+markers",
        name: plain(entry.label),
        x: x,
        y: y,
        yaxis: yaxis,
        connectgaps: false,
        cliponaxis: time,
        line: { color: colour, width: time ? 1.6 : 2.2, dash: alone ? "solid" : dash(entry.dash) },
        // Markers on every sample of a long series would hide it; a dozen suffice to recognise it.
        marker: { color: colour, symbol: entry.symbol, size: time ? 7 : 8, maxdisplayed: time ? 12 : 0 },
        customdata: low ? low.map((_, i) => " [" + short(low[i]) + " to " + short(high[i]) + "]") : undefined,
        hovertemplate: "%{y:.4~g}" + (low ? "%{customdata}" : "") + "<extra>%{fullData.name}</extra>",
      });
      if (curve.paper) {
        result.push({
          type: "scatter",
          mode: "markers",
          name: plain(entry.label) + ", published",
          x: x,
          y: curve.paper,
          yaxis: yaxis,
          cliponaxis: false,
          marker: { color: colour, symbol: entry.symbol + "-open", size: 13, line: { width: 2, color: colour } },
          hovertemplate: "%{y}<extra>%{fullData.name}</extra>",
        });
      }
    }
  });
  return result;
}
