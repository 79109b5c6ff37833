// The colours of flows and of their groups, as numbers of the style sheet's curves.

const CURVES = 6;

// Returns {flows, groups}. While there are colours for all, each flow has its own, and a group that of its first flow; with
// more flows, those of a group share its colour.
export function coloursOf(meaning) {
  const sizes = meaning.flows.map((group) => group.names.length);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  if (total > CURVES) {
    const groups = sizes.map((_, at) => at % CURVES);
    return { groups, flows: sizes.flatMap((size, at) => new Array(size).fill(groups[at])) };
  }
  const groups = sizes.map((_, at) => sizes.slice(0, at).reduce((sum, size) => sum + size, 0) % CURVES);
  return { groups, flows: Array.from({ length: total }, (_, index) => index) };
}
