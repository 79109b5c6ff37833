// The elements of a scenario that can be selected in the picture, and their places in the text.

import { at } from "./toml.js";

const SHOWN = 8; // paths of a group: with SCTP its first flow has several

// Returns the tables that describe a link, the more specific first; keys missing in one come from the next.
export function linkPaths(name, root) {
  if (name.endsWith("-reverse")) {
    const forward = linkPaths(name.slice(0, -"-reverse".length), root);
    return [...forward.map((path) => [...path, "reverse"]).filter((path) => at(root, path)), ...forward];
  }
  if (at(root, ["dumbbell"])) {
    if (name === "bottleneck") return [["dumbbell", "bottleneck"]];
    const side = name.endsWith("-right") ? "right" : "left";
    const paths = [
      ["dumbbell", side],
      ["dumbbell", "access"],
    ].filter((path) => at(root, path));
    return paths.length ? paths : [["dumbbell", "access"]];
  }
  if (at(root, ["parallel"])) {
    const found = /^bottleneck-(\d+)$/.exec(name);
    return [found ? ["parallel", "bottlenecks", Number(found[1]) - 1] : ["parallel", "access"]];
  }
  if (at(root, ["parking_lot"])) return [["parking_lot", name.startsWith("hop-") ? "hop" : "access"]];
  const links = at(root, ["links"])?.items ?? [];
  const index = links.findIndex((link) => nameOf(link) === name);
  return index < 0 ? [] : [["links", index]];
}

function nameOf(link) {
  const named = at(link, ["name"])?.value;
  if (named) return named;
  const between = at(link, ["between"])?.items?.map((item) => item.value);
  return between ? between.join("-") : `${at(link, ["from"])?.value}-${at(link, ["to"])?.value}`;
}

// Returns a dotted path, as in overrides, as steps into the text: an item of a list is given by its name or its index from
// 0. A group without a name has the name in `meaning`.
export function pathOf(dotted, root, meaning) {
  const steps = [...dotted.matchAll(/"([^"]*)"|([^."]+)/g)].map((found) => found[1] ?? found[2]);
  const path = [];
  for (const step of steps) {
    const list = at(root, path);
    if (list?.type !== "array") path.push(step);
    else if (/^\d+$/.test(step)) path.push(Number(step));
    else {
      const index = list.items.findIndex((item) => nameOf(item) === step);
      path.push(index < 0 && path[0] === "flows" ? meaning.flows.findIndex((flow) => flow.group === step) : index);
    }
  }
  return path;
}

// Returns the round trip of a group's first flow, without queues and transmission times.
export function roundTripOf(group, links) {
  const [path] = group.paths;
  return [...path.forward, ...path.backward].reduce((sum, index) => sum + links[index].delay_s, 0);
}

// Returns the pairs of a dumbbell that a group's flows take, from 0.
export function pairsOf(group, links) {
  const pairs = group.paths.map((path) => /^access-(\d+)-/.exec(links[path.forward[0]]?.name ?? "")?.[1]);
  return [...new Set(pairs.filter(Boolean))].map((pair) => Number(pair) - 1);
}

// Returns the first of `paths` with a value at `key`: {path, node}; the first path if none has.
export function written(root, paths, key) {
  for (const path of paths) {
    const node = at(root, [...path, key]);
    if (node) return { path: [...path, key], node };
  }
  return { path: [...paths[0], key], node: undefined };
}

// Returns the links of the picture, each once even if many pairs have the same, and once for both directions:
// {id, name, link, back}; `back` is the other direction if flows use it too.
export function linksOf(meaning) {
  const passed = new Map();
  for (const { paths } of meaning.flows) {
    for (const index of paths.slice(0, SHOWN).flatMap((path) => path.forward))
      passed.set(meaning.network.links[index].name, meaning.network.links[index]);
  }
  const forward = (name) => name.replace(/-reverse$/, "");
  return [...passed.values()]
    .filter((link) => link.name === forward(link.name) || !passed.has(forward(link.name)))
    .map((link) => ({ id: `link:${link.name}`, name: link.name, link, back: passed.get(`${link.name}-reverse`) }));
}
