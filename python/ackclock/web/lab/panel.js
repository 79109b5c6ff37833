// One pair of axes with lines or filled shapes, as the text of an SVG group. Colours are the style sheet's variables.

import { escaped } from "./dom.js";
import { digits } from "./quantity.js";
import { axis, linearTicks, logTicks } from "./ticks.js";

export const LEFT = 46;
export const RIGHT = 8;
const TOP = 26;

const round = (value) => Math.round(value * 10) / 10;

// Returns the path of a line, with gaps for missing values. With more points than pixels, it has the least and the most of each pixel.
export function linePath(xs, ys, x, y) {
  const parts = [];
  let pen = "M";
  let column = null;
  const flush = () => {
    if (!column) return;
    const ends = column.least.at <= column.most.at ? [column.least, column.most] : [column.most, column.least];
    for (const end of ends) {
      parts.push(`${pen}${round(end.x)} ${round(y(end.value))}`);
      pen = "L";
    }
    column = null;
  };
  for (let at = 0; at < xs.length; at += 1) {
    const value = ys[at];
    if (value === null || value === undefined || !Number.isFinite(value)) {
      flush();
      pen = "M";
      continue;
    }
    const point = { at, value, x: x(xs[at]) };
    const pixel = Math.floor(point.x);
    if (column && column.pixel !== pixel) flush();
    if (!column) column = { pixel, least: point, most: point };
    else if (value < column.least.value) column.least = point;
    else if (value > column.most.value) column.most = point;
  }
  flush();
  return parts.join("");
}

// Returns the shape between two rows of values.
export function bandPath(xs, lower, upper, x, y) {
  const there = xs.map((value, at) => `${round(x(value))} ${round(y(upper[at]))}`);
  const back = xs.map((value, at) => `${round(x(value))} ${round(y(lower[at]))}`).reverse();
  return there.length ? `M${there.concat(back).join("L")}Z` : "";
}

// {title, xLabel, x: [low, high], y: [low, high], lines, bands, points, logX, width, height, ticksBelow} -> text.
//   lines: {xs, ys, colour, faint}; bands: {xs, lower, upper, colour}; points: {x, y, colour, hollow, label};
//   a faint line is dashed.
export function panel(what) {
  const { width, height, ticksBelow = true } = what;
  const bottom = height - (ticksBelow ? 20 : 6) - (what.xLabel ? 14 : 0);
  const right = width - RIGHT;
  const x = axis(what.x[0], what.x[1], LEFT, right, what.logX);
  const y = axis(what.y[0], what.y[1], bottom, TOP);
  const parts = [`<text class="title" x="0" y="12">${escaped(fitting(what.title, width, 7.2))}</text>`];
  for (const tick of linearTicks(what.y[0], what.y[1], Math.max(2, Math.floor((bottom - TOP) / 28)))) {
    const at = round(y(tick));
    parts.push(`<path d="M${LEFT} ${at}H${right}" stroke="var(--grid)"/>`);
    parts.push(`<text class="tick" x="${LEFT - 6}" y="${at + 4}" text-anchor="end">${digits(tick)}</text>`);
  }
  const ticks = what.logX
    ? logTicks(...what.x)
    : linearTicks(what.x[0], what.x[1], Math.max(2, Math.floor(width / 90)));
  for (const tick of ticks) {
    const at = round(x(tick));
    parts.push(`<path d="M${at} ${TOP}V${bottom}" stroke="var(--grid)"/>`);
    const anchor = at > right - 12 ? "end" : "middle";
    if (ticksBelow)
      parts.push(`<text class="tick" x="${at}" y="${bottom + 15}" text-anchor="${anchor}">${digits(tick)}</text>`);
  }
  parts.push(`<path d="M${LEFT} ${TOP}V${bottom}H${right}" fill="none" stroke="var(--axis)"/>`);
  if (what.xLabel)
    parts.push(
      `<text class="tick" x="${(LEFT + right) / 2}" y="${height - 3}" text-anchor="middle">${escaped(fitting(what.xLabel, right - LEFT, 6.4))}</text>`,
    );
  for (const band of what.bands ?? []) {
    parts.push(
      `<path class="band" d="${bandPath(band.xs, band.lower, band.upper, x, y)}" fill="var(--curve-${band.colour})" fill-opacity="0.45"/>`,
    );
  }
  for (const line of what.lines ?? []) {
    const look = line.faint
      ? 'stroke-dasharray="5 3" stroke-opacity="0.65" class="b"'
      : `stroke-opacity="${line.opacity ?? 1}" class="a"`;
    parts.push(
      `<path d="${linePath(line.xs, line.ys, x, y)}" fill="none" stroke="var(--curve-${line.colour})" stroke-width="1.5" stroke-linejoin="round" ${look}/>`,
    );
  }
  for (const join of what.joins ?? []) {
    const [[fromX, fromY], [toX, toY]] = join;
    parts.push(
      `<path d="M${round(x(fromX))} ${round(y(fromY))}L${round(x(toX))} ${round(y(toY))}" stroke="var(--axis)" stroke-dasharray="3 3"/>`,
    );
  }
  const labels = [];
  const dots = (what.points ?? []).map((point) => [round(x(point.x)), round(y(point.y))]);
  for (const [place, point] of (what.points ?? []).entries()) {
    const fill = point.hollow ? "var(--back)" : `var(--curve-${point.colour})`;
    const at = dots[place];
    parts.push(
      `<circle class="${point.hollow ? "b" : "a"}" cx="${at[0]}" cy="${at[1]}" r="${point.small ? 3 : 5}" fill="${fill}" stroke="var(--curve-${point.colour})" stroke-width="${point.small ? 1 : 2}"><title>${escaped(point.title ?? point.label ?? "")}</title></circle>`,
    );
    const others = dots.filter((_, other) => other !== place);
    const spot = point.label ? placeOf(point.label, at, right, labels, others) : null;
    if (!spot) continue;
    labels.push(spot);
    parts.push(`<text class="tick" x="${spot.x}" y="${spot.y}">${escaped(point.label)}</text>`);
  }
  return parts.join("");
}

// Returns a text that fits the width, of letters that are about so wide: without its beginning, if need be, as its end has the unit.
function fitting(text, width, letter) {
  const most = Math.floor(width / letter);
  return text.length <= most ? text : `…${text.slice(text.length - most + 1)}`;
}

// Returns a place beside a point where its label covers no other and no other dot is nearer: {x, y, width}. Returns null if
// there is none: the point
// tells its name when it is pointed at.
function placeOf(label, [x, y], right, labels, others) {
  const width = 6.5 * label.length;
  const sides = x > right - 80 ? [-9 - width, 9] : [9, -9 - width];
  const places = [-7, 4, 15].flatMap((down) => sides.map((across) => ({ x: round(x + across), y: y + down, width })));
  const isFree = (one) =>
    one.x > LEFT &&
    one.x + width <= right &&
    labels.every((other) => one.x > other.x + other.width || other.x > one.x + width || Math.abs(one.y - other.y) > 11) &&
    // The middle of the letters is 4 above their base line.
    others.every(([across, down]) => across < one.x - 14 || across > one.x + width + 14 || Math.abs(down - one.y + 4) > Math.abs(y - one.y + 4) + 2);
  return places.find(isFree) ?? null;
}

// Returns the top of a scale: a little above the largest value.
export function headroom(most) {
  return most > 0 ? most * 1.06 : 1;
}
