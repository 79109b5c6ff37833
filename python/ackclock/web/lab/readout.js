// Shows the values at one time: at the pointer, or at the line that the arrow keys move.

import { byId, enlargement, make } from "./dom.js";
import { LEFT, RIGHT } from "./panel.js";
import { digits } from "./quantity.js";

const MOST_FLOWS = 8;

// `current()` returns the drawn view, see figures.js; null if there is none.
export function readout(figure, current) {
  const line = make("div", { class: "instant", hidden: true });
  const told = byId("readout");
  figure.parentElement.append(line);
  let share = 0.5;

  function show() {
    const one = current();
    if (!one?.time.length) return hide();
    const at = nearest(one.time, share * one.duration);
    const [left, right] = margins();
    const x = figure.offsetLeft + left + share * (figure.clientWidth - left - right);
    Object.assign(line.style, { left: `${x}px`, top: `${figure.offsetTop}px`, height: `${figure.clientHeight}px` });
    line.hidden = false;
    const flows = one.flows.slice(0, MOST_FLOWS).map((flow) => `${flow.name} ${values(flow, at)}`);
    const links = one.links.map((link) => `${link.name} queue ${digits(link.queue[at] ?? NaN)} packets${Number.isFinite(link.used?.[at]) ? `, utilisation ${digits(link.used[at])} %` : ""}`);
    told.textContent = `${digits(one.time[at])} s: ${[...flows, ...links].join("; ")}`;
    return undefined;
  }

  function hide() {
    line.hidden = true;
    told.textContent = "";
  }

  figure.addEventListener("pointermove", (event) => {
    const box = figure.getBoundingClientRect();
    const [left, right] = margins();
    share = Math.min(1, Math.max(0, (event.clientX - box.left - left) / (box.width - left - right)));
    show();
  });
  figure.addEventListener("pointerleave", hide);
  figure.addEventListener("blur", hide);
  figure.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: -0.01, ArrowRight: 0.01, PageUp: -0.1, PageDown: 0.1 }[event.key];
    if (!by) return;
    event.preventDefault();
    share = Math.min(1, Math.max(0, share + by));
    show();
  });
}

const margins = () => [LEFT, RIGHT].map((one) => one * enlargement());

function values(flow, at) {
  const known = [
    ["cwnd", flow.cwnd, 1, "packets"],
    ["RTT", flow.rtt, 1000, "ms"],
    ["goodput", flow.goodput, 1e-6, "Mbit/s"],
  ].filter(([, list]) => Number.isFinite(list?.[at]));
  return known.length ? known.map(([name, list, factor, unit]) => `${name} ${digits(list[at] * factor)} ${unit}`).join(", ") : "–";
}

// Returns the index of the last sampling time that is not after `wanted`.
function nearest(times, wanted) {
  let [low, high] = [0, times.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (times[middle] <= wanted) low = middle;
    else high = middle - 1;
  }
  return low;
}
