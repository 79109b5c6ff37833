// The display of a run: figures, table, progress. `a` is the newest run, also while it goes on; `b` is the kept one.

import { byId, enlargement, isWide } from "./dom.js";
import { planeFigure, queueingLinks, timeFigure, view } from "./figures.js";
import { digits } from "./quantity.js";
import { readout } from "./readout.js";
import { summaryTable } from "./summary.js";

// The height of a panel on a wide page, beside the lesson.
const LOW = 76;

export class Board {
  a = null; // {meaning, series, result, text, others}; `others` are results with more seeds, if there are any
  b = null;

  constructor() {
    readout(byId("figure"), () => this.views()[0]);
    // Figures have the available width.
    let width = 0;
    new ResizeObserver(() => {
      const now = byId("figure").clientWidth;
      if (now !== width) this.draw();
      width = now;
    }).observe(byId("figure"));
  }

  progress(fraction, series, meaning) {
    byId("progress").value = fraction;
    if (!series) return;
    this.a = { meaning, series, result: null };
    this.drawFigures();
  }

  finished({ result, packets, seconds }, meaning, text) {
    byId("progress").value = 1;
    byId("speed").textContent = speedOf(packets, meaning.duration_s, Math.max(seconds, 1e-3));
    this.a = { meaning, series: result.series, result, text };
    this.draw();
  }

  // Returns the drawn views of A and of B; null where there is none.
  views() {
    return [this.a, this.b].map((one) => (one?.series ? view(one.series, one.meaning, one.result) : null));
  }

  // `low`: with low panels, so that the figure and the first numbers are seen without scrolling.
  drawings(width, low = false) {
    const [a, b] = this.views();
    const heightOfPanel = low ? LOW : undefined;
    return [timeFigure(a, b, width, { heightOfPanel, used: true }), planeFigure(a, b, Math.min(width, 620))];
  }

  drawFigures() {
    const [over, plane] = this.drawings(Math.max(280, byId("figure").clientWidth) / enlargement(), isWide());
    byId("figure").innerHTML = over;
    byId("plane").innerHTML = plane;
  }

  draw() {
    if (!this.a) return;
    this.drawFigures();
    const results = (one) => (one?.result ? [one.result, ...(one.others ?? [])] : null);
    if (this.a.result) byId("summary").replaceChildren(summaryTable(results(this.a), results(this.b), queueingLinks(this.a.meaning)));
  }
}

// Returns how fast a run was: packets per second of the browser, and how much faster than real time.
function speedOf(packets, duration, seconds) {
  const rounded = (value) => Number(value.toPrecision(2)).toLocaleString("en");
  return `${packets.toLocaleString("en")} packets in ${digits(seconds, 2)} s: ${rounded(packets / seconds)} packets/s, ${rounded(duration / seconds)} times real time`;
}
