// Compares a case's recorded values over time with a run of the same case.

const CLOSE = 1e-6; // recorded values have seven digits

// Counts the recorded values that the run reproduces and those that differ: {same, other}. `recorded` has the last of
// every `each` samples, or their mean for `means`, as the report wrote them.
export function compared({ each, means, ...recorded }, series) {
  const found = { same: 0, other: 0 };
  for (const kind of ["flows", "links"]) {
    for (const [owner, quantities] of Object.entries(recorded[kind])) {
      for (const [quantity, values] of Object.entries(quantities)) {
        const run = series?.[kind]?.[owner]?.[quantity] ?? [];
        const mean = each > 1 && means.includes(quantity);
        values.forEach((value, at) => {
          const samples = run.slice(at * each, (at + 1) * each);
          found[equal(value, mean ? meanOf(samples) : samples[each - 1]) ? "same" : "other"] += 1;
        });
      }
    }
  }
  return found;
}

function meanOf(samples) {
  return samples.reduce((sum, value) => sum + (value ?? 0), 0) / samples.length;
}

function equal(one, other) {
  if (one === null || other === null || other === undefined) return one === (other ?? null);
  return Math.abs(one - other) <= CLOSE * Math.max(Math.abs(one), Math.abs(other));
}
