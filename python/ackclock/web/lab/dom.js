// Elements made from JavaScript, and text made safe for SVG.

// Makes an element with attributes and children. `on` holds listeners; a property that is no attribute is set as `.name`.
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "on") for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    else if (name.startsWith(".")) element[name.slice(1)] = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

// Returns the parts of a name such as `initial_ssthresh`, between which a line may break.
export function breakable(name) {
  return name.split(/(?<=_)/).flatMap((part, at) => (at ? [make("wbr"), part] : [part]));
}

export function byId(id) {
  return document.getElementById(id);
}

const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

export function escaped(text) {
  return String(text).replace(/[&<>"]/g, (character) => ENTITIES[character]);
}

// Announces to screen readers what has just happened.
export function say(text) {
  byId("said").textContent = text;
}

// Calls `action` once, `milliseconds` after the last call.
export function later(milliseconds, action) {
  let timer = 0;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => action(...values), milliseconds);
  };
}

// How many times as large as usual figures are in the size for a wall: the smallest letters, of 11 pixels, have more than 16.
const LARGE = 1.5;
export const enlargement = () => (document.documentElement.dataset.size === "large" ? LARGE : 1);

// Returns whether the page has two columns, as in lab.css.
export const isWide = () => matchMedia("(min-width: 60rem)").matches;
