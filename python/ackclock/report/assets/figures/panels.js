// Chooses the panels: those of the description, all laid over each other, or one for each curve.

function arranged(state) {
  const panels = state.description.panels;
  if (state.overlay) {
    return [Object.assign({}, panels[0], { title: "", curves: panels.flatMap((panel) => panel.curves) })];
  }
  if (!state.split) return panels;
  const [panel] = panels;
  const level = (curve) => curve.level !== undefined;
  const levels = panel.curves.filter(level);
  return panel.curves
    .filter((curve) => !level(curve))
    .map((curve) => ({ title: state.description.entries[curve.entry].label, y: panel.y, curves: [curve].concat(levels) }));
}

// Returns whether the panels have the same vertical axis.
function sharing(state) {
  return (state.description.shared || state.split) && arranged(state).length > 1;
}
