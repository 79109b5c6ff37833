// Series that grow while a run goes on: pieces are put behind what there is, in the form of a result's series.

export class Growing {
  constructor() { this.series = null; }

  // Adds what was sampled after all that is there.
  add(piece) {
    if (!piece) return;
    this.series ??= { time_s: [], flows: {}, links: {} };
    const { series } = this, before = series.time_s.length;
    append(series.time_s, piece.time_s);
    for (const kind of ["flows", "links"]) {
      for (const [owner, quantities] of Object.entries(piece[kind])) {
        const owned = series[kind][owner] ??= {};
        for (const [quantity, values] of Object.entries(quantities)) {
          // What was not there at first was not sampled until now.
          append(owned[quantity] ??= new Array(before).fill(null), values);
        }
        // What is no longer told of has nothing to tell.
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
