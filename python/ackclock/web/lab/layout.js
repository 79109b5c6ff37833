// Places the nodes of a path in its picture: as far to the right as they are from the sources, each group of flows
// in its own row, and shared nodes in the middle.

// The distance of unshared nodes from the middle in a picture with many links, in rows.
const APART = 0.95;
// The distance between the paths of one flow, in rows.
const SEVERAL = 1.4;

// {columns, rows, nodes: Map(name -> {column, row}), routes: [{group, row, nodes: [name], back}]}; rows may be between two.
// `back`: the route leads from the right to the left.
export function layout(meaning) {
  const routes = meaning.flows.flatMap((flow, group) => routesOf(flow, group, meaning.network.links));
  const column = columnsOf(routes);
  for (const route of routes)
    route.back = route.nodes.length > 1 && column.get(route.nodes[0]) > column.get(route.nodes[route.nodes.length - 1]);
  const columns = Math.max(1, ...[...column.values()].map((one) => one + 1));
  const rows = meaning.flows.length;
  const middle = (rows - 1) / 2;
  const users = new Map();
  for (const { row, nodes } of routes) for (const node of nodes) users.set(node, [...(users.get(node) ?? []), row]);
  const nodes = new Map();
  for (const [node, found] of users) {
    const own = new Set(found).size === 1;
    const away = found[0] - middle;
    const near = columns > 4 && Math.abs(away) < APART && rows > 1;
    nodes.set(node, {
      column: column.get(node),
      row: own ? (near ? middle + (away < 0 ? -APART : APART) : found[0]) : middle,
    });
  }
  return { columns, rows, nodes, routes };
}

// Returns the routes of a group's first flow: one, or with SCTP one for each path. `steps`: [left node, right node] of
// each link, in whichever direction it is passed.
function routesOf(flow, group, links) {
  const each = flow.names.length <= 100 ? Math.max(1, Math.floor(flow.paths.length / flow.names.length)) : 1;
  return flow.paths
    .slice(0, each)
    .filter((path) => path.forward.length)
    .map(({ forward }, at) => {
      const passed = forward.map((index) => links[index]);
      return {
        group,
        row: group + (at - (each - 1) / 2) * SEVERAL,
        nodes: [passed[0].from, ...passed.map((link) => link.to)],
        steps: passed.map((link) => (link.name.endsWith("-reverse") ? [link.to, link.from] : [link.from, link.to])),
      };
    });
}

// Finds the longest path to each node from the left; then moves starting nodes next to the node that follows.
function columnsOf(routes) {
  const column = new Map();
  const steps = routes.flatMap((route) => route.steps);
  for (const node of routes.flatMap((route) => route.nodes)) column.set(node, 0);
  // A graph may have cycles: no path is longer than the number of nodes.
  for (let turn = 0; turn < column.size; turn += 1) {
    for (const [left, right] of steps) {
      if (column.get(right) <= column.get(left) && column.get(left) + 1 < column.size)
        column.set(right, column.get(left) + 1);
    }
  }
  for (const [left, right] of steps) {
    if (column.get(left) === 0)
      column.set(
        left,
        Math.max(0, Math.min(...steps.filter((step) => step[0] === left).map((step) => column.get(step[1]))) - 1),
      );
  }
  return column;
}
