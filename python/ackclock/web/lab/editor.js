// The editor of the scenario's text: a text area over its own copy, in which mistakes are underlined; messages below it.

import { byId, escaped, make } from "./dom.js";

export class Editor {
  constructor({ area, behind, problems, changed }) {
    Object.assign(this, { area, behind, problems, errors: [], touched: null });
    area.addEventListener("input", () => {
      this.errors = [];
      this.touched = null;
      this.paint();
      changed(area.value);
    });
    area.addEventListener("scroll", () => this.follow());
    // Where lines wrap depends on the width.
    new ResizeObserver(() => this.number()).observe(area);
    this.paint();
  }

  get text() {
    return this.area.value;
  }

  // Sets another text and keeps the caret.
  set text(text) {
    if (text === this.area.value) return;
    const { selectionStart, selectionEnd, scrollTop } = this.area;
    this.area.value = text;
    this.area.setSelectionRange(selectionStart, selectionEnd);
    this.area.scrollTop = scrollTop;
    this.errors = [];
    this.touched = null;
    this.paint();
  }

  mark(errors, warnings = []) {
    this.errors = errors;
    this.paint();
    this.area.setAttribute("aria-invalid", String(errors.length > 0));
    const lines = errors.map((error) => make("li", { class: "error" }, this.placeOf(error), error.message));
    const told = warnings.map((warning) => make("li", { class: "warning" }, warning));
    this.problems.replaceChildren(...lines, ...told);
  }

  placeOf(error) {
    if (error.line === null) return "";
    const go = () => {
      this.area.focus();
      this.area.setSelectionRange(error.from, error.to);
      this.bringIntoView([...this.behind.querySelectorAll("mark")][this.errors.indexOf(error)]);
    };
    return make(
      "button",
      { type: "button", class: "link", on: { click: go } },
      `Line ${error.line}, column ${error.column}:`,
    );
  }

  // Marks the place of a change until the text is edited.
  reveal(from, to) {
    this.touched = [from, to];
    this.paint();
    this.bringIntoView(this.behind.querySelector("mark"));
  }

  // A mark is at the same letters as in the text area.
  bringIntoView(mark) {
    if (!mark) return;
    const [box, seen] = [mark.getBoundingClientRect(), this.area.getBoundingClientRect()];
    if (box.top < seen.top || box.bottom > seen.bottom) this.area.scrollTop += box.top - seen.top - seen.height / 3;
    this.follow();
  }

  paint() {
    const marks = this.errors
      .filter((error) => error.from !== null)
      .map(({ from, to }) => ({ from, to: Math.max(to, from + 1), kind: "wrong" }));
    if (this.touched && !marks.length) marks.push({ from: this.touched[0], to: this.touched[1], kind: "touched" });
    marks.sort((one, other) => one.from - other.from);
    const parts = [];
    let done = 0;
    for (const { from, to, kind } of marks) {
      if (from < done) continue;
      const inside = this.text.slice(from, to);
      parts.push(
        coloured(this.text.slice(done, from)),
        `<mark class="${kind}">${inside.trim() === "" ? "&nbsp;" : escaped(inside)}</mark>`,
      );
      done = inside === "\n" ? from : to;
    }
    parts.push(coloured(this.text.slice(done)));
    // What follows the last line has a place too.
    this.behind.innerHTML = `${parts.join("")}\n `;
    this.number();
  }

  // Numbers the lines. A line that wraps takes several rows, of which the first has the number.
  number() {
    // A scroll bar takes width from the area only.
    this.behind.style.width = `${this.area.clientWidth}px`;
    const bad = new Set(this.errors.map((error) => error.line));
    const tops = topsOfLines(this.behind);
    const row = parseFloat(getComputedStyle(this.behind).lineHeight);
    byId("numbers").innerHTML = tops
      .slice(0, -1)
      .map((top, at) => {
        const number = bad.has(at + 1) ? `<b>${at + 1}</b>` : at + 1;
        return number + "\n".repeat(Math.max(1, Math.round((tops[at + 1] - top) / row)));
      })
      .join("");
    this.follow();
  }

  follow() {
    this.behind.style.transform = `translateY(${-this.area.scrollTop}px)`;
    byId("numbers").style.transform = `translateY(${-this.area.scrollTop}px)`;
  }
}

// Returns where each line of an element's text begins, from the top of the window.
function topsOfLines(element) {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  const tops = [];
  let begins = true;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    for (let at = 0; at < node.data.length; at += 1) {
      if (begins) {
        range.setStart(node, at);
        range.setEnd(node, at + 1);
        tops.push(range.getBoundingClientRect().top);
      }
      begins = node.data[at] === "\n";
    }
  }
  return tops;
}

// Colours comments, headers and quoted texts.
function coloured(text) {
  return escaped(text).replace(/(#[^\n]*)|(&quot;[^\n]*?&quot;)|(^\[\[?[^\n]*\]\]?)/gm, (whole, comment, quoted) => {
    const kind = comment ? "comment" : quoted ? "quoted" : "header";
    return `<span class="${kind}">${whole}</span>`;
  });
}
