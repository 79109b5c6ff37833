// The ticks of axes.

// The fewest ticks of an axis: with two, values between them are guessed.
const LEAST = 3;

// Returns about `count` round numbers from `low` to `high`, in steps of 1, 2 or 5 times a power of ten; three at least, if need be
// in steps of 2.5.
export function linearTicks(low, high, count = 5) {
  if (!(high > low)) return [low];
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((factor) => factor * power >= rough * 0.999) ?? 10);
  const smaller = [1, 0.5, 0.25, 0.2, 0.1].map((part) => ticksOf(low, high, step * part));
  return smaller.find((ticks) => ticks.length >= LEAST) ?? smaller[smaller.length - 1];
}

function ticksOf(low, high, step) {
  const ticks = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high * (1 + 1e-9); k += 1)
    ticks.push(Number((k * step).toPrecision(12)));
  return ticks;
}

// Returns 1, 2 and 5 times the powers of ten between `low` and `high`; over many decades only the powers, and within one more
// numbers where these are fewer than three.
export function logTicks(low, high) {
  const wide = high / low > 300;
  const choices = [wide ? [1] : [1, 2, 5], [1, 2, 5], [1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9]];
  const found = choices.map((factors) => {
    const ticks = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power += 1) {
      for (const factor of factors) {
        const tick = Number((factor * 10 ** power).toPrecision(3));
        if (tick >= low * 0.999 && tick <= high * 1.001) ticks.push(tick);
      }
    }
    return ticks;
  });
  return found.find((ticks) => ticks.length >= LEAST) ?? linearTicks(low, high);
}

// Returns a map from values to pixels, linear or logarithmic.
export function axis(low, high, from, to, logarithmic = false) {
  const measure = logarithmic ? Math.log : (value) => value;
  const span = measure(high) - measure(low) || 1;
  return (value) => from + ((measure(value) - measure(low)) / span) * (to - from);
}
