// Summarises a run as a table; with B, also the differences.

import { make } from "./dom.js";
import { digits } from "./quantity.js";

const MOST_ROWS = 12;

// Returns a result's numbers, [label, unit, value], and those of its flows by name.
export function numbersOf(result) {
  const sum = (list, key) => list.reduce((total, one) => total + (one[key] ?? 0), 0);
  const sent = sum(result.flows, "sent_packets");
  const rtts = result.flows.map((flow) => flow.rtt_mean_s).filter(Number.isFinite);
  const tails = result.flows.map((flow) => flow.rtt_p95_s).filter(Number.isFinite);
  const mean = (list) => (list.length ? list.reduce((total, value) => total + value, 0) / list.length : null);
  return {
    all: [
      ["Goodput of all", "Mbit/s", sum(result.flows, "goodput_bps") / 1e6],
      ["Mean round trip", "ms", times(mean(rtts), 1000)],
      ["95th percentile of round trip", "ms", times(tails.length ? Math.max(...tails) : null, 1000)],
      ["Packets lost", "%", sent ? (100 * sum(result.flows, "lost_packets")) / sent : null],
      ["Fairness (Jain)", "", result.fairness],
    ],
    flows: result.flows.flatMap((flow) => [
      [`Goodput of ${flow.name}`, "Mbit/s", flow.goodput_bps / 1e6],
      [`Mean delay of ${flow.name}, one way`, "ms", times(flow.one_way_delay_mean_s, 1000)],
    ]),
  };
}

function times(value, factor) {
  return value === null || value === undefined ? null : value * factor;
}

const shown = (value) => (value === null || value === undefined || !Number.isFinite(value) ? "–" : digits(value));

function change(a, b) {
  if (!Number.isFinite(a) || !Number.isFinite(b) || a === null || b === null) return "–";
  const by = a - b;
  const relative = b ? ` (${by >= 0 ? "+" : "−"}${digits(Math.abs((100 * by) / b), 2)} %)` : "";
  return `${by >= 0 ? "+" : "−"}${digits(Math.abs(by))}${relative}`;
}

// `called` has the headings of the columns if there are both.
export function summaryTable(a, b, called = { now: "A (now)", kept: "B (kept)", change: "A − B" }) {
  const mine = numbersOf(a);
  const theirs = b ? numbersOf(b) : null;
  const lines = [...mine.all.map((one, at) => [one, theirs?.all[at]])];
  const names = new Set([...mine.flows, ...(theirs?.flows ?? [])].map(([label]) => label));
  const flows = [...names].map((label) => [
    mine.flows.find((one) => one[0] === label) ?? [label, "", null],
    theirs?.flows.find((one) => one[0] === label) ?? [label, "", null],
  ]);
  if (flows.length > 2) lines.push(...flows.slice(0, MOST_ROWS));
  const heads = theirs ? ["", called.now, called.kept, called.change ?? "Change"] : ["", "Value"];
  const rows = lines.map(([[label, unit, value], other]) =>
    make(
      "tr",
      {},
      make("th", { scope: "row" }, label, unit ? make("span", { class: "unit" }, ` (${unit})`) : ""),
      make("td", {}, shown(value)),
      theirs ? [make("td", {}, shown(other?.[2])), make("td", {}, change(value, other?.[2]))] : null,
    ),
  );
  const more =
    flows.length > MOST_ROWS
      ? make("caption", { class: "small muted" }, `The first ${MOST_ROWS / 2} of ${flows.length / 2} flows`)
      : null;
  return make(
    "table",
    { class: "summary" },
    more,
    make(
      "thead",
      {},
      make(
        "tr",
        {},
        heads.map((head) => make("th", { scope: "col" }, head)),
      ),
    ),
    make("tbody", {}, rows),
  );
}
