// Where the nodes of a path stand in its picture: as far to the right as they are from the sources, each group of flows
// in a row of its own, what several groups pass in the middle.

// {columns, rows, nodes: Map(name -> {column, row})}; rows may be between two.
export function layout(meaning) {
  const routes = meaning.flows.map(({ paths }) => routeOf(paths[0]?.forward ?? [], meaning.network.links));
  const column = columnsOf(routes);
  const users = new Map();
  routes.forEach((route, row) => {
    for (const node of route) users.set(node, [...(users.get(node) ?? []), row]);
  });
  const middle = (routes.length - 1) / 2;
  const nodes = new Map();
  for (const [node, rows] of users) nodes.set(node, { column: column.get(node), row: new Set(rows).size > 1 ? middle : rows[0] });
  return { columns: Math.max(1, ...[...column.values()].map((one) => one + 1)), rows: routes.length, nodes, routes };
}

function routeOf(indices, links) {
  return indices.length ? [links[indices[0]].from, ...indices.map((index) => links[index].to)] : [];
}

// The longest way to each node from any source; then every source moves next to the node that follows it.
function columnsOf(routes) {
  const column = new Map();
  const limit = routes.reduce((sum, route) => sum + route.length, 1);
  for (let changed = true, turn = 0; changed && turn < limit; turn += 1) {
    changed = false;
    for (const route of routes) {
      route.forEach((node, at) => {
        const wanted = at ? column.get(route[at - 1]) + 1 : 0;
        if (wanted <= (column.get(node) ?? -1) || wanted > limit) return;
        column.set(node, wanted);
        changed = true;
      });
    }
  }
  for (const route of routes) {
    if (route.length > 1 && column.get(route[0]) === 0) column.set(route[0], Math.max(0, column.get(route[1]) - 1));
  }
  return column;
}
