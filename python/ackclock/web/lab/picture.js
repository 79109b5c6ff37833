// Draws the path: a card for each group of flows, and the links that it passes with their queues and losses.

import { coloursOf } from "./colours.js";
import { enlargement, escaped } from "./dom.js";
import { layout } from "./layout.js";
import { linksOf } from "./elements.js";
import { digits, format } from "./quantity.js";

const CARD = { width: 132, height: 44 };
const NARROW = 560;
const ABOVE = 52; // room for what is written above and below the links
const BELOW = 52;

// Returns the picture as SVG text, `width` wide. `chosen` is the id of the selected element.
export function picture(meaning, width, chosen) {
  const narrow = width < NARROW;
  const card = { ...CARD, width: narrow ? 92 : CARD.width };
  const plan = layout(meaning);
  const colours = coloursOf(meaning).groups;
  const row = Math.max(48, Math.min(64, 420 / plan.rows));
  const inRows = [0, plan.rows - 1, ...[...plan.nodes.values()].map((node) => node.row)];
  const [first, last] = [Math.min(...inRows), Math.max(...inRows)];
  const height = ABOVE + (last - first) * row + BELOW;
  const backward = new Set(plan.routes.filter((route) => route.back).map((route) => route.group));
  const margin = narrow ? 14 : 30;
  const left = card.width + margin;
  const right = width - (backward.size ? card.width + margin : margin - 4);
  const y = (at) => ABOVE + (at - first) * row;
  const place = (node) => {
    const { column, row: at } = plan.nodes.get(node);
    return { x: left + stretch(column, plan.columns, narrow) * (right - left), y: y(at) };
  };
  const links = linksOf(meaning);
  const drawn = links
    .filter(({ link }) => plan.nodes.has(link.from) && plan.nodes.has(link.to))
    .map((one) => {
      const [from, to] = [place(one.link.from), place(one.link.to)];
      return { ...one, from, to };
    });
  const parts = drawn.map((one) => pipe(one, chosen));
  for (const route of plan.routes)
    parts.push(thread(route, route.nodes.map(place), plan.rows, { card, width, y: y(route.group), colour: colours[route.group] }));
  for (const node of plan.nodes.keys()) parts.push(dot(node, place(node)));
  for (const one of drawn) if (waits(one.link)) parts.push(glyph(one.from, one.to));
  for (const one of drawn) parts.push(labels(one, narrow || plan.columns > 4));
  meaning.flows.forEach((flow, at) =>
    parts.push(cardOf(flow, at, { x: backward.has(at) ? width - card.width : 0, y: y(at), colour: colours[at] }, card, chosen)),
  );
  const size = enlargement();
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width * size}" height="${height * size}" viewBox="0 0 ${width} ${height}" role="group" aria-label="The path: select a flow or a link to change it">${parts.join("")}</svg>`;
}

// Inner links have more text, so they get more of the width.
function stretch(column, columns, narrow) {
  if (columns < 2) return 0;
  if (columns < 4) return column / (columns - 1);
  const outer = narrow ? 0.14 : 0.15;
  if (column === 0) return 0;
  if (column === columns - 1) return 1;
  return outer + ((column - 1) / (columns - 3)) * (1 - 2 * outer);
}

function pipe({ id, name, link, from, to }, chosen) {
  const inner = waits(link);
  const label = `Link ${name}: ${format(link.rate_bps, "rate")}, ${format(link.delay_s, "time")}${inner ? `, ${queueText(link)}` : ""}`;
  const line = `M${from.x} ${from.y}L${to.x} ${to.y}`;
  return `<g class="element link" data-id="${escaped(id)}" role="button" tabindex="0" aria-pressed="${id === chosen}" aria-label="${escaped(label)}"><title>${escaped(label)}</title><path class="reach" d="${line}"/><path class="${inner ? "pipe inner" : "pipe"}" d="${line}"/></g>`;
}

function waits(link) {
  return Boolean(link.queue) && !link.name.startsWith("access-");
}

// A queue: packets that wait to enter the link.
function glyph(from, to) {
  const ahead = to.x >= from.x;
  const x = ahead ? from.x + 8 : from.x - 40;
  const y = from.y + ((to.y - from.y) * 24) / Math.max(48, Math.abs(to.x - from.x));
  const bars = [0, 1, 2].map((k) => `<rect x="${x + 4 + k * 8}" y="${y - 7}" width="5" height="14" class="packet"/>`);
  return `<g class="waiting"><rect x="${x}" y="${y - 11}" width="32" height="22" rx="3" class="queue"/>${bars.join("")}</g>`;
}

function holds(link) {
  if (link.queue_packets !== null) return format(link.queue_packets, "packets");
  return link.queue_bytes === null ? "no limit" : format(link.queue_bytes, "size");
}

function queueText(link) {
  return `${link.queue}, ${holds(link)}`;
}

function labels({ id, link, back, from, to }, crowded) {
  const x = (from.x + to.x) / 2;
  const y = (from.y + to.y) / 2;
  const rate = format(link.rate_bps, "rate");
  const delay = format(link.delay_s, "time");
  if (!waits(link)) {
    if (crowded) return "";
    return `<text class="note halo" x="${x}" y="${y - 8}" text-anchor="middle">${escaped(delay)}</text>`;
  }
  const tight = Math.abs(to.x - from.x) < 120;
  const pace = link.varies ? `${rate}, varies` : rate;
  const above = tight ? [pace, delay] : [`${pace}, ${delay}`];
  const below = [
    ...(tight ? [link.queue, holds(link)] : [queueText(link)]),
    ...(link.loss ? [`loss: ${link.loss}`] : []),
    ...(back ? [`reverse: ${format(back.rate_bps, "rate")}, ${queueText(back)}`] : []),
  ];
  const text = (line, at) => `<text class="note halo" x="${x}" y="${at}" text-anchor="middle">${escaped(line)}</text>`;
  const lines = [
    ...above.map((line, k) => text(line, y - 18 - 14 * (above.length - 1 - k))),
    ...below.map((line, k) => text(line, y + 26 + 14 * k)),
  ];
  // A click on the text selects the link, too. The link itself is the element for keys and screen readers.
  return `<g class="about" data-id="${escaped(id)}">${lines.join("")}</g>`;
}

// Draws the route of a group of flows, in its colour, beside those of the others.
function thread({ group, back }, points, rows, { card, width, y, colour }) {
  const offset = (group - (rows - 1) / 2) * Math.min(3, 12 / rows);
  const path = [
    { x: back ? width - card.width : card.width, y },
    ...points.map((point) => ({ x: point.x, y: point.y + offset })),
  ];
  const last = path[path.length - 1];
  return `<path class="thread" d="M${path.map((point) => `${point.x} ${point.y}`).join("L")}" stroke="var(--curve-${colour})"/><circle cx="${last.x}" cy="${last.y}" r="4" fill="var(--curve-${colour})"/>`;
}

function dot(name, { x, y }) {
  return `<circle class="node" cx="${x}" cy="${y}" r="5"><title>${escaped(name)}</title></circle>`;
}

function cardOf(flow, at, { x, y, colour }, card, chosen) {
  const id = `flow:${at}`;
  const count = flow.names.length;
  const control = flow.control ?? "UDP";
  const name = count > 1 ? `${flow.group} ×${digits(count)}` : flow.group;
  const short = (text) =>
    text.length * 7.4 > card.width - 16 ? `${text.slice(0, Math.floor((card.width - 24) / 7.4))}…` : text;
  const top = y - card.height / 2;
  const second = control === flow.group ? (count > 1 ? "flows" : "one flow") : control;
  return `<g class="element flow" data-id="${id}" role="button" tabindex="0" aria-pressed="${id === chosen}" aria-label="${escaped(`Group ${flow.group}: ${count} ${count === 1 ? "flow" : "flows"} with ${control}`)}"><title>${escaped(`${name}: ${control}`)}</title><rect x="${x + 1}" y="${top}" width="${card.width - 2}" height="${card.height}" rx="6"/><rect x="${x + 1}" y="${top}" width="6" height="${card.height}" fill="var(--curve-${colour})" class="tab"/><text x="${x + 14}" y="${y - 3}" class="name">${escaped(short(name))}</text><text x="${x + 14}" y="${y + 14}" class="note">${escaped(short(second))}</text></g>`;
}
