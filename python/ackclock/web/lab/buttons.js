// What the page's buttons and its picture do.

import { copyLink } from "./address.js";
import { byId, later, say } from "./dom.js";
import { asCsv, asPng, save, slug, standalone } from "./exports.js";
import { keep } from "./kept.js";
import { take } from "./scenario.js";
import { draw, select } from "./view.js";

const SIZE = "ackclock-size";

export function listen(page) {
  for (const [id, listener] of Object.entries(listeners(page))) byId(id).addEventListener("click", listener);
  const box = byId("picture");
  box.addEventListener("click", (event) => {
    const element = event.target.closest("[data-id]");
    if (element) select(page, element.dataset.id);
  });
  box.addEventListener("keydown", (event) => {
    const element = event.target.closest("[data-id]");
    if (!element || (event.key !== "Enter" && event.key !== " ")) return;
    event.preventDefault();
    select(page, element.dataset.id);
  });
  new ResizeObserver(later(50, () => draw(page))).observe(box);
  setSize(page, stored());
}

// The size of letters, which a browser remembers as it does the theme.
function stored() {
  try {
    return localStorage.getItem(SIZE);
  } catch {
    return null; // See theme.js.
  }
}

function setSize(page, size) {
  if (size) document.documentElement.dataset.size = size;
  else delete document.documentElement.dataset.size;
  byId("size").setAttribute("aria-pressed", String(size === "large"));
  page.board.draw();
  page.whatIf.draw();
  draw(page);
}

function otherSize(page) {
  const size = document.documentElement.dataset.size === "large" ? "" : "large";
  try {
    localStorage.setItem(SIZE, size);
  } catch {
    // See theme.js.
  }
  setSize(page, size);
}

function listeners(page) {
  const { state, board, runner } = page;
  const figure = () => standalone(board.drawings(820), state.meaning.name);
  return {
    cancel: () => {
      runner.cancel();
      page.seeds.stop();
    },
    again: () => runner.now(state.text),
    keep: () => {
      keep(page, board.a?.result ? board.a : null);
      page.remember();
      say("Kept as B");
    },
    drop: () => {
      keep(page, null);
      page.remember();
    },
    swap: () => {
      const text = state.keptText;
      keep(page, board.a);
      take(page, text);
    },
    "run-settings": () => select(page, "run"),
    size: () => otherSize(page),
    svg: () => save(`${slug(state.meaning.name)}.svg`, figure(), "image/svg+xml"),
    png: async () => save(`${slug(state.meaning.name)}.png`, await asPng(figure())),
    csv: () => save(`${slug(state.meaning.name)}.csv`, asCsv(board.a.series), "text/csv"),
    toml: () => save(`${slug(state.meaning?.name ?? "scenario")}.toml`, state.text, "application/toml"),
    link: () => copyLink(state),
  };
}
