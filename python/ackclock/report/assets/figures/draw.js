// Each figure is drawn when it comes near, and again when the theme, the width or what it shows changes.

// By element: the description, and what the reader has done to the figure.
const states = new Map();

async function draw(element) {
  const state = states.get(element);
  try {
    const Plotly = await library();
    paint(Plotly, element, element.clientWidth);
  } catch (error) {
    element.textContent = "This browser cannot draw the figure.";
    console.error(error);
  }
}

function paint(Plotly, element, width) {
  const state = states.get(element);
  const look = theme();
  const shape = layout(state, look, width, element.clientHeight);
  Plotly.react(element, traces(state, look), shape, { displayModeBar: false, doubleClick: "reset", scrollZoom: false });
  state.drawn = true;
  state.width = width;
}

function repaint() {
  for (const [element, state] of states) if (state.drawn) draw(element);
}

const near = new IntersectionObserver(
  function (entries) {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      near.unobserve(entry.target);
      draw(entry.target);
    }
  },
  { rootMargin: "600px 0px" }
);
const sizes = new ResizeObserver(function (entries) {
  for (const entry of entries) {
    const state = states.get(entry.target);
    if (state.drawn && !state.printing && entry.target.clientWidth !== state.width) draw(entry.target);
  }
});

async function act(what, element, button) {
  const state = states.get(element);
  if (what === "overlay") {
    state.overlay = !state.overlay;
    button.setAttribute("aria-pressed", String(state.overlay));
    element.closest("figure").classList.toggle("overlaid", state.overlay);
    await draw(element);
  } else if (what === "reset") {
    const Plotly = await library();
    Plotly.purge(element);
    await draw(element);
  } else if (what === "csv") {
    const url = URL.createObjectURL(new Blob([table(state)], { type: "text/csv" }));
    save(url, state.name + ".csv");
    setTimeout(() => URL.revokeObjectURL(url), 10000);
  } else {
    await picture(element, what);
  }
}

for (const figure of document.querySelectorAll("figure.figure")) {
  const element = figure.querySelector(".plot");
  if (!element) continue;
  const state = {
    text: element.textContent,
    get description() {
      this.parsed = this.parsed || JSON.parse(this.text);
      return this.parsed;
    },
    title: figure.querySelector("h4").textContent,
    name: figure.id,
    hidden: new Set(),
    overlay: figure.classList.contains("overlaid"),
    drawn: false,
    printing: false,
    width: 0,
  };
  element.textContent = "";
  states.set(element, state);
  figure.addEventListener("click", function (event) {
    const button = event.target.closest("button");
    if (!button) return;
    if (button.dataset.do) act(button.dataset.do, element, button);
    if (button.dataset.entry === undefined) return;
    const entry = Number(button.dataset.entry);
    if (!state.hidden.delete(entry)) state.hidden.add(entry);
    button.setAttribute("aria-pressed", String(!state.hidden.has(entry)));
    draw(element);
  });
  near.observe(element);
  sizes.observe(element);
}

document.addEventListener("themechange", repaint);

// Printing does not wait, so it draws only with a library that is there already; it is fetched in the first idle moment.
document.addEventListener("printstart", function () {
  if (!window.Plotly) return;
  for (const [element, state] of states) {
    state.printing = true;
    state.before = state.drawn ? state.width : 0;
    paint(window.Plotly, element, 680);
  }
});
document.addEventListener("printend", function () {
  for (const [element, state] of states) {
    state.printing = false;
    if (window.Plotly) paint(window.Plotly, element, element.clientWidth);
  }
});
if (states.size) {
  const idle = window.requestIdleCallback || ((todo) => setTimeout(todo, 1000));
  addEventListener("load", () => idle(() => library().catch(() => {})));
}
