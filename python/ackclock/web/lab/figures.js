// Draws a run's values over time: window, round trip, queue, utilisation and shares, one below the other with one
// time axis; and each flow's point in the plane of goodput over delay.

import { coloursOf } from "./colours.js";
import { enlargement, escaped } from "./dom.js";
import { headroom, panel } from "./panel.js";
import { digits } from "./quantity.js";

const MANY = 8; // flows of a group; with more, lines are thin and points have no names
const LINKS = 4;
const FASTER = 50;

// Returns the view of a run, or of its part so far: {duration, time, flows: [{name, group, colour, cwnd, rtt, goodput}],
// links: [{name, colour, queue, varies, used}]}. `meaning` is the checked scenario's, `result` that of the run, null until it is over.
export function view(series, meaning, result = null) {
  const names = meaning.flows.flatMap((group, at) => group.names.map((name) => ({ name, at })));
  const colours = coloursOf(meaning).flows;
  const flows = names
    .map(({ name, at }, index) => ({
      name,
      group: meaning.flows[at].group,
      colour: colours[index],
      of: series?.flows?.[name],
    }))
    .filter((flow) => flow.of)
    .map(({ of, ...flow }) => ({ ...flow, cwnd: of.cwnd_packets, rtt: of.rtt_s, goodput: of.goodput_bps, record: result?.flows.find((one) => one.name === flow.name) }));
  const links = queueingLinks(meaning)
    .filter((name) => series?.links?.[name]?.queue_packets)
    .map((name, index) => {
      const { varies } = meaning.network.links.find((link) => link.name === name);
      const used = result && !varies ? utilisation(series.time_s, series.links[name], linkOf(result, name), result.measured_s) : null;
      return { name, colour: (index + 4) % 6, queue: series.links[name].queue_packets, varies, used };
    });
  return { duration: meaning.duration_s, time: series?.time_s ?? [], flows, links };
}

// Returns the names of the links at which flows may have to wait: those that they pass forward, without access links and
// without links that are many times as fast as the slowest. If an access link is slower than all others, as behind an
// access point, it is the bottleneck, and only the slowest links are returned.
export function queueingLinks(meaning) {
  const passed = new Set(meaning.flows.flatMap((flow) => flow.paths.flatMap((path) => path.forward)));
  const links = [...passed].map((index) => meaning.network.links[index]);
  const inner = links.filter(({ name }) => !name.startsWith("access-"));
  const slowestOf = (some) => Math.min(...some.map((link) => link.rate_bps));
  const slowest = slowestOf(links);
  const behind = inner.length > 0 && slowestOf(inner) > slowest;
  const left = inner.length && !behind ? inner : links;
  return left
    .filter((link) => link.rate_bps <= (behind ? 1 : FASTER) * slowestOf(left))
    .slice(0, LINKS)
    .map(({ name }) => name);
}

const flat = (lists) => lists.flat().filter((value) => Number.isFinite(value));
const highest = (lists) =>
  lists.reduce((most, list) => (list ?? []).reduce((so, value) => (value > so ? value : so), most), 0);
const scaled = (list, factor) => (list ?? []).map((value) => (value === null ? null : value * factor));

// Returns means over `window` samples: goodput is counted packet by packet, and shares of single samples are noise.
function smooth(list, window) {
  const sums = [0];
  for (const value of list) sums.push(sums[sums.length - 1] + (value ?? 0));
  return list.map((_, at) => {
    const from = Math.max(0, at + 1 - window);
    return (sums[at + 1] - sums[from]) / (at + 1 - from);
  });
}

// Returns where each group's share of the goodput begins and ends, from 0 to 100 %.
export function shares(one) {
  const window = smoothing(one);
  const stacked = one.time.map(() => 0);
  const total = one.time.map(() => 0);
  const smoothed = one.flows
    .filter((flow) => flow.goodput)
    .map((flow) => ({ flow, mean: smooth(flow.goodput, window) }));
  for (const { mean } of smoothed) mean.forEach((value, at) => (total[at] += value));
  return smoothed.map(({ flow, mean }) => {
    const lower = stacked.slice();
    mean.forEach((value, at) => (stacked[at] += total[at] > 0 ? (100 * value) / total[at] : 0));
    return { colour: flow.colour, xs: one.time, lower, upper: stacked.slice() };
  });
}

const SMOOTH = 40; // parts of a run over which rates are means
const smoothing = (one) => Math.max(1, Math.round(one.time.length / SMOOTH));
const linkOf = (result, name) => result.links.find((link) => link.name === name);

// Returns the share of time in which a link of constant rate sends, in percent, as means over a part of the run.
//
// The packets that have left its queue are counted, from the end of the warm-up on. Each is taken to last as long as the mean
// packet, whose time follows from the utilisation of the whole measured time: where packets differ in size, it is an estimate.
export function utilisation(time, series, link, [from, to]) {
  if (!series.arrived_packets || !link) return null;
  const left = time.map((_, at) => series.arrived_packets[at] - series.dropped_packets[at] - series.queue_packets[at]);
  const measured = time.map((_, at) => at).filter((at) => time[at] >= from && time[at] <= to);
  const [first, last] = [measured[0], measured[measured.length - 1]];
  const each = (link.utilisation * (time[last] - time[first])) / (left[last] - left[first]);
  if (!Number.isFinite(each)) return null;
  const window = Math.max(1, Math.round(time.length / SMOOTH));
  return time.map((now, at) => {
    const before = Math.max(first, at - window);
    return at > before && at <= last ? Math.min(100, (100 * (left[at] - left[before]) * each) / (now - time[before])) : null;
  });
}
// Returns whether one flow always has all of the goodput.
const alone = (one) => one?.flows.length === 1;

function linesOf(a, b, pick) {
  const of = (one, faint) =>
    one ? pick(one).map(({ ys, colour, thin }) => ({ xs: one.time, ys, colour, faint, opacity: thin ? 0.45 : 1 })) : [];
  return [...of(b, true), ...of(a, false)].filter((line) => line.ys);
}

// Returns the figure over time as SVG text. `a` and `b` are views; either may be null. `other` is the name of `b` in the legend.
// `used`: with the utilisation of links, which a view has if it was made with a result.
export function timeFigure(a, b, width, { heightOfPanel = 128, other = "dashed: B", used = false } = {}) {
  const thin = (a?.flows.length ?? 0) > MANY;
  const duration = Math.max(a?.duration ?? 0, b?.duration ?? 0) || 1;
  const flowLines = (quantity, factor) =>
    linesOf(a, b, (one) =>
      one.flows.map((flow) => ({ ys: flow[quantity] && scaled(flow[quantity], factor), colour: flow.colour, thin })),
    );
  const window = flowLines("cwnd", 1);
  const roundTrip = flowLines("rtt", 1000);
  const ofLinks = (quantity) => linesOf(a, b, (one) => one.links.map((link) => ({ ys: link[quantity], colour: link.colour })));
  const queue = ofLinks("queue");
  const bands = a ? shares(a) : [];
  const edges = b
    ? shares(b)
        .slice(0, -1)
        .map((band) => ({ xs: b.time, ys: band.upper, colour: 4, faint: true }))
    : [];
  const several =
    (a?.links.length ?? 0) > 1
      ? ` at ${a.links.map((link) => link.name).join(", ")}`
      : a?.links.length
        ? ` at ${a.links[0].name}`
        : "";
  const panels = [
    { title: "Congestion window (packets)", lines: window },
    { title: "RTT (ms)", lines: roundTrip },
    { title: `Queue${several} (packets)`, lines: queue },
    ...(used && a?.links.some((link) => !link.varies)
      ? [{ title: `Utilisation${several.replace(/^ at/, " of")} (%)`, lines: ofLinks("used"), y: [0, 100] }]
      : []),
    alone(a) && alone(b ?? a)
      ? {
          title: "Goodput (Mbit/s)",
          lines: linesOf(a, b, (one) =>
            one.flows.map((flow) => ({
              ys: flow.goodput && scaled(smooth(flow.goodput, smoothing(one)), 1e-6),
              colour: flow.colour,
            })),
          ),
        }
      : { title: "Share of goodput (%)", lines: edges, bands, y: [0, 100] },
  ];
  const legend = legendOf([...legendEntries(a), ...(b ? [{ label: other, colour: null }] : [])], width);
  let top = legend.height;
  const parts = [legend.text];
  panels.forEach((one, at) => {
    const last = at === panels.length - 1;
    const height = heightOfPanel + (last ? 30 : 0);
    const y = one.y ?? [0, headroom(highest(one.lines.map((line) => line.ys)))];
    const text = panel({
      ...one,
      x: [0, duration],
      y,
      width,
      height,
      ticksBelow: last,
      xLabel: last ? "Time (s)" : "",
    });
    parts.push(`<g transform="translate(0 ${top})">${text}</g>`);
    top += height;
  });
  return svg(width, top, parts.join(""), "Congestion window, RTT, queue, utilisation and share of goodput over time");
}

// Draws the legend, [{label, colour}], in as many rows as needed.
export function legendOf(entries, width) {
  const parts = [];
  let x = 0;
  let y = 12;
  for (const { label, colour } of entries) {
    const wide = label.length * 7 + 34;
    if (x + wide > width && x > 0) {
      x = 0;
      y += 18;
    }
    const stroke = colour === null ? 'stroke="var(--muted)" stroke-dasharray="5 3"' : `stroke="var(--curve-${colour})"`;
    parts.push(
      `<path d="M${x} ${y - 4}h20" stroke-width="2.5" ${stroke}/><text x="${x + 25}" y="${y}">${escaped(label)}</text>`,
    );
    x += wide;
  }
  return { text: parts.join(""), height: entries.length ? y + 10 : 4 };
}

function legendEntries(one) {
  if (!one) return [];
  const found = new Map();
  for (const flow of one.flows) {
    const key = one.flows.length > 6 ? flow.group : flow.name;
    if (!found.has(key)) found.set(key, { label: key, colour: flow.colour });
  }
  return [...found.values()].slice(0, 12);
}

// Returns the mean round trip in ms and the goodput in Mbit/s of each flow: of measured time, or so far while it runs.
export function places(one) {
  return one.flows
    .map((flow) => {
      // The table's values, which leave out the warm-up; while the run goes on, the means so far.
      if (flow.record) {
        const { rtt_mean_s: delay, goodput_bps: goodput } = flow.record;
        return delay === null || goodput === null ? null : { name: flow.name, colour: flow.colour, delay: delay * 1000, goodput: goodput / 1e6 };
      }
      const delays = flat([flow.rtt ?? []]);
      const rates = flat([flow.goodput ?? []]);
      if (!delays.length || !rates.length) return null;
      const mean = (list) => list.reduce((sum, value) => sum + value, 0) / list.length;
      return { name: flow.name, colour: flow.colour, delay: mean(delays) * 1000, goodput: mean(rates) / 1e6 };
    })
    .filter(Boolean);
}

// Returns goodput over delay as SVG text. Better is to the left and up, as in the reports.
export function planeFigure(a, b, width, height = 250) {
  const mine = a ? places(a) : [];
  const theirs = b ? places(b) : [];
  const all = [...mine, ...theirs];
  const delays = all.map((place) => place.delay);
  const low = Math.min(...delays, Infinity);
  const high = Math.max(...delays, 0);
  const logX = high / low > 6;
  const x = !all.length ? [0, 100] : logX ? [low / 1.3, high * 1.3] : [0, headroom(high * 1.1)];
  const named = all.length <= MANY;
  const point = (hollow) => (place) => ({
    x: place.delay,
    y: place.goodput,
    colour: place.colour,
    hollow,
    label: named && !hollow ? place.name : "",
    title: `${place.name}${hollow ? " (B)" : ""}: ${digits(place.goodput)} Mbit/s, ${digits(place.delay)} ms`,
  });
  const joins = mine.flatMap((place) => {
    const other = theirs.find((one) => one.name === place.name);
    return other
      ? [
          [
            [other.delay, other.goodput],
            [place.delay, place.goodput],
          ],
        ]
      : [];
  });
  const text = panel({
    title: `Goodput (Mbit/s) versus mean RTT${width > 480 ? "; better is to the left and up" : ""}`,
    xLabel: "Mean RTT (ms)",
    x,
    logX,
    y: [0, headroom(highest([all.map((place) => place.goodput)]) * 1.08)],
    points: [...theirs.map(point(true)), ...mine.map(point(false))],
    joins,
    width,
    height,
  });
  return svg(width, height, text, "Goodput of each flow versus its mean RTT");
}

// Returns a drawing as SVG text; its letters have the size that the page has chosen, and with them all else.
export function svg(width, height, inside, label) {
  const size = enlargement();
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width * size}" height="${height * size}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(label)}">${inside}</svg>`;
}
