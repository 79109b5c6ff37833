// Turns a table that does not fit into a list of its rows, each cell with the heading of its column, so that no
// number is cut at the edge. Without a script it scrolls sideways.
(function () {
  "use strict";

  // Returns the headings of the columns, each preceded by the heading of its group.
  function headings(table) {
    const columns = [];
    const rows = Array.from(table.tHead ? table.tHead.rows : []);
    const taken = rows.map(() => []);
    rows.forEach(function (row, r) {
      let at = 0;
      for (const cell of row.cells) {
        while (taken[r][at]) at += 1;
        const text = cell.textContent.trim();
        for (let column = at; column < at + cell.colSpan; column++) {
          for (let below = r; below < Math.min(r + cell.rowSpan, rows.length); below++) taken[below][column] = true;
          columns[column] = columns[column] ? columns[column] + ", " + text : text;
        }
        at += cell.colSpan;
      }
    });
    return columns;
  }

  function label(table) {
    const columns = headings(table);
    for (const row of table.querySelectorAll("tbody tr, tfoot tr")) {
      Array.from(row.cells).forEach(function (cell, at) {
        cell.dataset.heading = columns[at] || "";
      });
    }
  }

  const sizes = new ResizeObserver(function (entries) {
    for (const entry of entries) fit(entry.target);
  });

  function fit(region) {
    const table = region.querySelector("table");
    region.classList.remove("rows");
    if (region.clientWidth && table.offsetWidth > region.clientWidth + 1) {
      if (!region.dataset.labelled) {
        label(table);
        region.dataset.labelled = "true";
      }
      region.classList.add("rows");
    }
  }

  for (const region of document.querySelectorAll(".scroll")) if (region.querySelector("table")) sizes.observe(region);
})();
