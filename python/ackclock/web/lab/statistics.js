// Means with Student's intervals.

// Returns {mean, half}: the mean of the finite values, and half the width of its 95 % interval, which is null with fewer
// than two of them. Returns null if there is none.
export function summary(values) {
  const known = values.filter((value) => value !== null && Number.isFinite(value));
  const n = known.length;
  if (!n) return null;
  // The rounded mean of equal values may differ from them.
  if (known.every((value) => value === known[0])) return { mean: known[0], half: n > 1 ? 0 : null };
  const mean = known.reduce((sum, value) => sum + value, 0) / n;
  const squares = known.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, half: (tQuantile(n - 1) * Math.sqrt(squares / (n - 1))) / Math.sqrt(n) };
}

// Returns the t that a Student variable does not exceed, in absolute value, with this probability.
export function tQuantile(degreesOfFreedom, level = 0.95) {
  // With t = tan(angle) sqrt(degrees of freedom), the probability grows with the angle from 0 to 1.
  let [low, high] = [0, Math.PI / 2];
  for (let step = 0; step < 53; step += 1) {
    const angle = (low + high) / 2;
    if (within(angle, degreesOfFreedom) < level) low = angle;
    else high = angle;
  }
  return Math.tan((low + high) / 2) * Math.sqrt(degreesOfFreedom);
}

// Returns the probability that a Student variable is at most tan(angle) sqrt(degrees of freedom) in absolute value:
// Abramowitz and Stegun 1964, equations 26.7.3 and 26.7.4.
function within(angle, degreesOfFreedom) {
  const [sine, cosine] = [Math.sin(angle), Math.cos(angle)];
  const isOdd = degreesOfFreedom % 2 === 1;
  let [power, term] = isOdd ? [1, cosine] : [0, 1];
  let sum = 0;
  for (; power + 2 <= degreesOfFreedom; power += 2) {
    sum += term;
    term *= (cosine * cosine * (power + 1)) / (power + 2);
  }
  return isOdd ? (2 / Math.PI) * (angle + sine * sum) : sine * sum;
}
