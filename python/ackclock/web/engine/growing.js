// Series that grow during a run: new samples are appended, in the form of a result's series.

export class Growing {
  constructor() { this.series = null; }

  // Appends new samples.
  add(piece) {
    if (!piece) return;
    this.series ??= { time_s: [], flows: {}, links: {} };
    const { series } = this, before = series.time_s.length;
    append(series.time_s, piece.time_s);
    for (const kind of ["flows", "links"]) {
      for (const [owner, quantities] of Object.entries(piece[kind])) {
        const owned = series[kind][owner] ??= {};
        for (const [quantity, values] of Object.entries(quantities)) {
          // A new series had no samples until now.
          append(owned[quantity] ??= new Array(before).fill(null), values);
        }
        // A series that is no longer reported has no samples.
        for (const values of Object.values(owned)) {
          while (values.length < series.time_s.length) values.push(null);
        }
      }
    }
  }
}

function append(list, values) {
  for (const value of values) list.push(value);
}
