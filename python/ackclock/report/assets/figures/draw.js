// Draws each figure when it scrolls near, and again when the theme, the width or its contents change.

// The state of each figure, by element: its description, and the reader's changes.
const states = new Map();

async function draw(element) {
  const state = states.get(element);
  try {
    const [Plotly] = await Promise.all([library(), opened(state)]);
    paint(Plotly, element, element.clientWidth);
  } catch (error) {
    element.textContent = "The figure could not be drawn; the browser console shows the error.";
    console.error(error);
  }
}

// Returns the figure's description, which is unpacked and parsed once, when it is first needed.
function opened(state) {
  state.opening =
    state.opening ||
    Promise.resolve(state.packed ? unpacked(state.text) : state.text).then(function (text) {
      state.description = JSON.parse(text);
    });
  return state.opening;
}

function paint(Plotly, element, width) {
  const state = states.get(element);
  const look = theme();
  // Plotly does not move the scale of a heat map from beside it to above it, nor back.
  if (state.drawn && state.description.kind === "sweep-figure" && width !== state.width) Plotly.purge(element);
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
  if (what === "overlay" || what === "split") {
    await opened(state);
    state[what] = !state[what];
    button.setAttribute("aria-pressed", String(state[what]));
    element.closest("figure").classList.toggle("overlaid", state.overlay);
    const panels = arranged(state).length;
    element.style.setProperty("--panels", panels);
    element.className = "plot panels-" + (panels < 9 ? panels : "many");
    await draw(element);
  } else if (what === "reset") {
    const Plotly = await library();
    Plotly.purge(element);
    await draw(element);
  } else {
    await opened(state);
    await take(what, state, element.layout);
  }
}

for (const figure of document.querySelectorAll("figure.figure")) {
  const element = figure.querySelector(".plot");
  if (!element) continue;
  const state = {
    text: element.textContent,
    packed: "packed" in element.firstElementChild.dataset,
    description: null,
    title: figure.querySelector(".figure-head :is(h2, h3, h4)").textContent,
    name: figure.dataset.file,
    hidden: new Set(),
    overlay: figure.classList.contains("overlaid"),
    split: false,
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

// A dot plot is on the page without a script; it is drawn only for files.
for (const card of document.querySelectorAll(".card[data-file]")) {
  card.addEventListener("click", function (event) {
    const button = event.target.closest("button[data-do]");
    if (!button) return;
    const description = JSON.parse(card.querySelector("script").textContent);
    const state = { description: description, title: description.title, name: card.dataset.file, hidden: new Set() };
    take(button.dataset.do, state, null).catch(console.error);
  });
}

document.addEventListener("themechange", repaint);

// Printing does not wait, so it draws only unpacked figures; all are unpacked at the first idle time.
document.addEventListener("printstart", function () {
  if (!window.Plotly) return;
  for (const [element, state] of states) {
    if (!state.description) continue;
    state.printing = true;
    state.before = state.drawn ? state.width : 0;
    paint(window.Plotly, element, 680);
  }
});
document.addEventListener("printend", function () {
  for (const [element, state] of states) {
    state.printing = false;
    if (window.Plotly && state.description) paint(window.Plotly, element, element.clientWidth);
  }
});
if (states.size) {
  const idle = window.requestIdleCallback || ((todo) => setTimeout(todo, 1000));
  addEventListener("load", () => idle(() => Promise.all([library(), ...Array.from(states.values(), opened)]).catch(() => {})));
}
