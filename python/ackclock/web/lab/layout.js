// Places the nodes of a path in its picture: as far to the right as they are from the sources, each group of flows
// in its own row, and shared nodes in the middle.

// The distance of unshared nodes from the middle in a picture with many links, in rows.
const APART = 0.95;
// Nodes of a column that are closer than this are put this far apart, in rows: room for what is written at their links.
const CLOSE = 0.9;
const BETWEEN = 1.3;
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
  for (const route of routes) for (const node of route.nodes) users.set(node, [...(users.get(node) ?? []), route]);
  const nodes = new Map();
  const isOwn = (found) => found.every((route) => route.group === found[0].group);
  const shared = [...users].filter(([, found]) => !isOwn(found));
  const others = [...users].filter(([, found]) => isOwn(found));
  for (const [node, found] of [...shared, ...others]) {
    const own = isOwn(found);
    // A node at which the paths of a group meet is in the row of the group.
    const mean = found.reduce((sum, route) => sum + route.row, 0) / found.length;
    const away = mean - middle;
    const near = columns > 4 && Math.abs(away) < APART && rows > 1;
    const wished = own ? (near ? middle + (away < 0 ? -APART : APART) : mean) : middle;
    const taken = [...nodes.values()].filter((other) => other.column === column.get(node)).map((other) => other.row);
    nodes.set(node, { column: column.get(node), row: free(wished, taken, found[0].group) });
  }
  return { columns, rows, nodes, routes };
}

// Returns the wished row, or the free row next to `home` where another node of the column is too near to write between them.
function free(wished, taken, home) {
  const isFree = (row) => taken.every((other) => Math.abs(other - row) > BETWEEN - 0.01);
  if (taken.every((other) => Math.abs(other - wished) >= CLOSE)) return wished;
  const rows = taken.flatMap((other) => [other - BETWEEN, other + BETWEEN]).filter(isFree);
  return rows.reduce((best, row) => (Math.abs(row - home) < Math.abs(best - home) ? row : best));
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
