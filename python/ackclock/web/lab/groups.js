// Adds and removes groups of flows, with their entries elsewhere in the text.

import { pairsOf } from "./elements.js";
import { append, cut, put } from "./edit.js";
import { named } from "./fields.js";
import { at, plain, read } from "./toml.js";

// Returns the text with another group like the one at `index`, under a new name.
export function withAnother(text, root, meaning, index) {
  const like = plain(at(root, ["flows", index]));
  delete like.name;
  const taken = new Set(meaning.flows.map((flow) => flow.group));
  const base = named(like.control) ?? named(like.application) ?? "flow";
  const names = [base, ...Array.from({ length: 99 }, (_, k) => `${base}-${k + 2}`)];
  return append(text, "flows", { name: names.find((one) => !taken.has(one)), ...like });
}

// Returns the text without the group at `index`, and without the round trips of the pairs of hosts that only it has.
export function withoutGroup(text, root, meaning, index) {
  const without = cut(text, ["flows", index]);
  const trips = plain(at(root, ["dumbbell", "rtt"]));
  if (!Array.isArray(trips)) return without;
  const pairs = meaning.flows.map((flow) => pairsOf(flow, meaning.network.links));
  const others = new Set(pairs.filter((_, k) => k !== index).flat());
  const gone = pairs[index].filter((pair) => !others.has(pair) && pair < trips.length);
  const left = trips.filter((_, pair) => !gone.includes(pair));
  if (!left.length) return without;
  // Pairs are counted from 1; those behind a removed one move up.
  const moved = (pair) => pair - gone.filter((one) => one + 1 < pair).length;
  const flows = plain(at(read(without), ["flows"]));
  return flows.reduce(
    (result, { pair }, k) => (Number.isInteger(pair) ? put(result, ["flows", k, "pair"], moved(pair)) : result),
    put(without, ["dumbbell", "rtt"], left),
  );
}
