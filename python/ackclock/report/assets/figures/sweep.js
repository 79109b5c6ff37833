// Gives the figure of a sweep, which comes as Plotly's own figure, the colours of the theme in use.

function sweepTraces(description, look) {
  return structuredClone(description.data).map(function (trace) {
    const themed = (colour) => look.curve(description.colours.indexOf(colour));
    if (trace.line && trace.line.color) trace.line.color = themed(trace.line.color);
    if (trace.marker && trace.marker.color) trace.marker.color = themed(trace.marker.color);
    return trace;
  });
}

function sweepLayout(description, look, width, height) {
  const result = structuredClone(description.layout);
  Object.assign(result, { width: width, height: height, autosize: false, paper_bgcolor: look.back, plot_bgcolor: look.back });
  result.font = { family: look.font, size: width < 560 ? 11 : 13, color: look.text };
  result.margin = { l: width < 560 ? 56 : 72, r: 20, t: description.titled ? 36 : 14, b: 54 };
  result.legend = Object.assign(result.legend || {}, { orientation: "h", x: 0, y: 1.02, yanchor: "bottom" });
  if (description.legend) result.margin.t += 34;
  result.hoverlabel = { bgcolor: look.panel, bordercolor: look.line, font: { color: look.text, size: 12 } };
  for (const key of Object.keys(result)) {
    if (!/^[xy]axis/.test(key)) continue;
    Object.assign(result[key], { gridcolor: look.grid, linecolor: look.line, tickcolor: look.line, automargin: true, zeroline: false });
  }
  return result;
}
