// Quantities as the scenario language writes them: a number and a unit.

const UNITS = {
  time: [
    ["s", 1],
    ["ms", 1e-3],
    ["us", 1e-6],
    ["µs", 1e-6],
    ["ns", 1e-9],
    ["min", 60],
    ["h", 3600],
  ],
  rate: [
    ["Tbit/s", 1e12],
    ["Gbit/s", 1e9],
    ["Mbit/s", 1e6],
    ["kbit/s", 1e3],
    ["bit/s", 1],
  ],
  size: [
    ["GB", 1e9],
    ["MB", 1e6],
    ["kB", 1e3],
    ["B", 1],
    ["GiB", 2 ** 30],
    ["MiB", 2 ** 20],
    ["KiB", 2 ** 10],
  ],
  packets: [
    ["packets", 1],
    ["packet", 1],
  ],
  bdp: [["bdp", 1]],
};
// The units in which a slider's value is written.
const WRITTEN = {
  time: ["s", "ms", "us"],
  rate: ["Tbit/s", "Gbit/s", "Mbit/s", "kbit/s", "bit/s"],
  size: ["MB", "kB", "B"],
};

// Parses a text or a number into {value, kind}, in seconds, bit/s, bytes or packets; null if it is no quantity.
export function parse(text) {
  if (typeof text === "number") return { value: text, kind: "number" };
  const found = /^\s*([+-]?[\d_]*\.?[\d_]+(?:[eE][+-]?\d+)?)\s*([^\s\d]\S*)\s*$/.exec(String(text));
  if (!found) return null;
  const number = Number(found[1].replace(/_/g, ""));
  for (const [kind, units] of Object.entries(UNITS)) {
    const unit = units.find(([name]) => name === found[2]);
    if (unit && Number.isFinite(number)) return { value: number * unit[1], kind };
  }
  return null;
}

// Formats `value` with `count` significant digits, without trailing zeros.
export function digits(value, count = 3) {
  if (value === 0 || !Number.isFinite(value)) return String(value);
  const size = Math.floor(Math.log10(Math.abs(value)));
  if (size >= 7 || size < -4) return String(Number(value.toPrecision(count)));
  return String(Number(value.toFixed(Math.max(0, count - 1 - size))));
}

// Formats the quantity in a suitable unit; a number stays a number.
export function format(value, kind, count = 3) {
  if (kind === "number") return Number(digits(value, count));
  if (kind === "packets") return `${Math.round(value)} ${Math.round(value) === 1 ? "packet" : "packets"}`;
  if (kind === "bdp") return `${digits(value, count)} bdp`;
  const units = WRITTEN[kind].map((name) => UNITS[kind].find(([unit]) => unit === name));
  // A value just below one still counts as one: 0.001 s is 1 ms.
  const [name, factor] = units.find(([, size]) => Math.abs(value) >= size * (1 - 1e-9)) ?? units[units.length - 1];
  return value === 0 ? `0 ${kind === "time" ? "s" : name}` : `${digits(value / factor, count)} ${name}`;
}

// Returns a scale between positions 0 to `steps` and values; logarithmic from `low` to `high` unless `linear`.
export function scale(low, high, { linear = false, whole = false, steps = 1000 } = {}) {
  const rounded = (value) => (whole ? Math.round(value) : Number(value.toPrecision(2)));
  // A logarithmic scale that includes zero has it as its first position.
  const from = linear ? low : Math.max(low, high * 1e-6);
  const value = (position) => {
    if (position <= 0) return low;
    if (position >= steps) return high;
    const share = position / steps;
    return rounded(linear ? low + share * (high - low) : from * (high / from) ** share);
  };
  const position = (wanted) => {
    const share = linear
      ? (wanted - low) / (high - low)
      : Math.log(Math.max(wanted, from) / from) / Math.log(high / from);
    return Math.round(steps * Math.min(1, Math.max(0, share)));
  };
  return { value, position };
}
