// Summarises a run, or runs with several seeds, as a table; with B, also the differences.

import { make } from "./dom.js";
import { digits } from "./quantity.js";
import { summary } from "./statistics.js";

const MOST_FLOWS = 4;

// Returns a result's numbers over all flows, [label, unit, value], with the utilisation of the named links.
function numbersOf(result, links) {
  const sum = (list, key) => list.reduce((total, one) => total + (one[key] ?? 0), 0);
  const sent = sum(result.flows, "sent_packets");
  const rtts = result.flows.map((flow) => flow.rtt_mean_s).filter(Number.isFinite);
  const tails = result.flows.map((flow) => flow.rtt_p95_s).filter(Number.isFinite);
  const mean = (list) => (list.length ? list.reduce((total, value) => total + value, 0) / list.length : null);
  return [
    ["Total goodput", "Mbit/s", sum(result.flows, "goodput_bps") / 1e6],
    ["Mean RTT", "ms", times(mean(rtts), 1000)],
    ["95th percentile of the RTT, worst flow", "ms", times(tails.length ? Math.max(...tails) : null, 1000)],
    ["Packets lost", "%", sent ? (100 * sum(result.flows, "lost_packets")) / sent : null],
    ...links.map((name) => [`Utilisation of ${name}`, "%", times(result.links.find((link) => link.name === name)?.utilisation, 100)]),
    ["Fairness (Jain)", "", result.fairness],
    ...(result.flows.some((flow) => Number.isFinite(flow.completed_s))
      ? [["Last transfer complete at", "ms", times(lastCompletion(result.flows), 1000)]]
      : []),
  ];
}

// Returns the lines of one flow, [label, unit, value of each result]; `flows` is that flow in each result. A flow without
// acknowledgements, such as a call over UDP, has one-way delays instead of RTTs.
function linesOfFlow(flows) {
  const [{ name }] = flows;
  const [delay, of] = flows.some((flow) => Number.isFinite(flow.rtt_mean_s)) ? ["RTT", "rtt"] : ["one-way delay", "one_way_delay"];
  const lost = (flow) => (flow.sent_packets ? (100 * flow.lost_packets) / flow.sent_packets : null);
  return [
    [`Goodput of ${name}`, "Mbit/s", flows.map((flow) => flow.goodput_bps / 1e6)],
    [`Mean ${delay} of ${name}`, "ms", flows.map((flow) => times(flow[`${of}_mean_s`], 1000))],
    [`95th percentile of the ${delay} of ${name}`, "ms", flows.map((flow) => times(flow[`${of}_p95_s`], 1000))],
    [`Lost packets of ${name}`, "%", flows.map(lost)],
  ];
}

// Returns when the last flow was complete of the groups that have an end; null if one of their flows was not.
function lastCompletion(flows) {
  const ending = new Set(flows.filter((flow) => Number.isFinite(flow.completed_s)).map((flow) => flow.group));
  const ends = flows.filter((flow) => ending.has(flow.group)).map((flow) => flow.completed_s);
  return ends.every(Number.isFinite) ? Math.max(...ends) : null;
}

function times(value, factor) {
  return value === null || value === undefined ? null : value * factor;
}

const shown = (value) => (value === null || value === undefined || !Number.isFinite(value) ? "–" : digits(value));

// Returns a mean with as many decimals as half of its interval has, which gets two digits, and that half. Both are in one
// line but on a phone.
function spread({ mean, half }) {
  if (half === null) return [shown(mean)];
  const decimals = Math.min(12, Math.max(0, 1 - Math.floor(Math.log10(half))));
  const [value, width] = half ? [mean, half].map((one) => one.toFixed(decimals)) : [shown(mean), "0"];
  return [value, make("span", { class: "half" }, `\u00a0±\u00a0${width}`)];
}

const cell = (values) => {
  const found = summary(values);
  return found ? spread(found) : ["–"];
};

// Returns the change of a number from B to A. With equally many seeds it is the mean of the differences seed by seed.
function change(a, b) {
  const [mine, theirs] = [summary(a), summary(b)];
  if (!mine || !theirs) return ["–"];
  const pairs = a.length === b.length ? summary(a.map((value, at) => value - b[at])) : null;
  const { mean, half } = pairs ?? { mean: mine.mean - theirs.mean, half: null };
  const relative = theirs.mean
    ? ` (${mean >= 0 ? "+" : "−"}${digits(Math.abs((100 * mean) / theirs.mean), 2)}\u00a0%)`
    : "";
  return [mean >= 0 ? "+" : "−", ...spread({ mean: Math.abs(mean), half }), relative];
}

// Returns the lines of a table, [label, unit, value of each result], for all and by flow.
function linesOf(results, links) {
  const every = results.map((result) => numbersOf(result, links));
  return {
    all: every[0].map(([label, unit], at) => [label, unit, every.map((one) => one[at]?.[2])]),
    flows: results[0].flows.flatMap((_, at) => linesOfFlow(results.map((result) => result.flows[at]))),
  };
}

// `a` and `b` are the results of one run or of several that differ in their seeds; `b` may be null. `called` has the headings
// of the columns if there are both. `links` are those whose utilisation is shown.
export function summaryTable(a, b, links, called = { now: "A (now)", kept: "B (kept)", change: "A − B" }) {
  const mine = linesOf(a, links);
  const theirs = b ? linesOf(b, links) : null;
  const lines = mine.all.map((one) => [one, theirs?.all.find(([label]) => label === one[0])]);
  const names = new Set([...mine.flows, ...(theirs?.flows ?? [])].map(([label]) => label));
  const flows = [...names].map((label) => [
    mine.flows.find((one) => one[0] === label) ?? [label, "", []],
    theirs?.flows.find((one) => one[0] === label) ?? [label, "", []],
  ]);
  const each = mine.flows.length / a[0].flows.length;
  const count = flows.length / each;
  // At least one flow of each group, if there are not too many groups.
  const firsts = a[0].flows.flatMap((flow, at) => (a[0].flows.findIndex((one) => one.group === flow.group) === at ? [at] : []));
  const every = [...new Set([...firsts, ...Array(count).keys()])];
  const chosen = every.slice(0, Math.min(2 * MOST_FLOWS, Math.max(MOST_FLOWS, firsts.length))).sort((one, other) => one - other);
  if (count > 1) for (const at of chosen) lines.push(...flows.slice(each * at, each * (at + 1)));
  const heads = theirs ? ["", called.now, called.kept, called.change ?? "Change"] : ["", "Value"];
  const rows = lines.map(([[label, unit, values], other]) =>
    make(
      "tr",
      {},
      make("th", { scope: "row" }, label, unit ? make("span", { class: "unit" }, ` (${unit})`) : ""),
      make("td", {}, cell(values)),
      theirs ? [make("td", {}, cell(other?.[2] ?? [])), make("td", {}, change(values, other?.[2] ?? []))] : null,
    ),
  );
  const notes = [
    a.length > 1 ? `Means over seeds ${a[0].seed} to ${a[a.length - 1].seed} ± half the width of the 95 % confidence interval` : null,
    a.length > 1 && b?.length === 1 ? `B is a single run with seed ${b[0].seed}` : null,
    a.length > 1 ? `The figures show seed ${a[0].seed}` : null,
    count > chosen.length ? `The table shows ${chosen.length} of ${count} flows: the first of each group, and the next ones` : null,
  ].filter(Boolean);
  return make(
    "table",
    { class: "summary" },
    notes.length ? make("caption", { class: "small muted" }, `${notes.join(". ")}.`) : null,
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
