// Saves figures as pictures and as numbers. Files have the colours of the light theme, which print well.

function save(url, name) {
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
}

function light() {
  const root = document.documentElement;
  const shown = root.dataset.theme;
  root.dataset.theme = "light";
  const look = theme();
  root.dataset.theme = shown;
  return look;
}

// Returns the figure for paper or a screen, with its title and its legend. `shown` is the layout that the reader sees,
// whose ranges it takes over.
function whole(state, shown) {
  const look = light();
  const panels = state.description.panels ? arranged(state).length : 1;
  const shape = layout(state, look, 1200, Math.max(675, 120 + 190 * panels));
  shape.showlegend = true;
  shape.legend = { orientation: "h", x: 0, xanchor: "left", y: -80 / (shape.height - 150), yanchor: "top" };
  shape.title = { text: plain(state.title), x: 0, xref: "paper", xanchor: "left", y: 1, yref: "container", yanchor: "top", pad: { t: 18 } };
  shape.margin.t += 48;
  for (const key of Object.keys(shape)) {
    const seen = shown && shown[key];
    if (/^[xy]axis/.test(key) && seen && seen.range) shape[key].range = seen.range.slice();
  }
  const named = new Set();
  const data = traces(state, look).map(function (trace) {
    if (!trace.name || named.has(trace.name)) return Object.assign(trace, { showlegend: false });
    named.add(trace.name);
    return trace;
  });
  return { data: data, layout: shape };
}

async function image(state, shown, format) {
  const Plotly = await library();
  const figure = whole(state, shown);
  const { width, height } = figure.layout;
  const url = await Plotly.toImage(figure, { format: format, width: width, height: height, scale: format === "png" ? 2 : 1 });
  return { url: url, width: width, height: height };
}

// Makes the PDF with the browser's print: a page of the figure's size with nothing else on it, with lines and text as vectors.
async function printed(picture, name) {
  const root = document.documentElement;
  const sheet = document.createElement("div");
  const size = document.createElement("style");
  const drawn = document.createElement("img");
  sheet.id = "sheet";
  size.textContent = "@page { size: " + picture.width + "px " + picture.height + "px; margin: 0 }";
  drawn.src = picture.url;
  drawn.alt = name;
  sheet.append(size, drawn);
  document.body.append(sheet);
  await drawn.decode();
  const title = document.title;
  const clean = function () {
    sheet.remove();
    delete root.dataset.printing;
    document.title = title;
  };
  addEventListener("afterprint", clean, { once: true });
  root.dataset.printing = "figure";
  // The name of the file that the browser proposes.
  document.title = name;
  print();
}

async function take(what, state, shown) {
  if (what === "csv") {
    const url = URL.createObjectURL(new Blob([table(state.description)], { type: "text/csv" }));
    save(url, state.name + ".csv");
    setTimeout(() => URL.revokeObjectURL(url), 10000);
  } else if (what === "pdf") {
    await printed(await image(state, shown, "svg"), state.name);
  } else {
    save((await image(state, shown, what)).url, state.name + "." + what);
  }
}
