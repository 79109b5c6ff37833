// Buttons for the results and a field for words above the table of the claims of a thesis, whose heads sort it. Without
// this script the table is whole, in the order of the studies.
(function () {
  "use strict";

  const table = document.querySelector(".claims table");
  if (!table) return;

  const heads = [...table.querySelectorAll("thead th")];
  const column = heads.findIndex((head) => head.textContent.trim() === "result");
  const claims = [...table.querySelectorAll("tbody tr")].map((row) => {
    const cells = [...row.querySelectorAll("td")].map((cell) => cell.textContent.trim());
    return { row, cells, result: cells[column].split("(")[0].trim(), text: row.textContent.toLowerCase() };
  });
  const order = ["as printed", "right order, other size", "not as printed", "undecided", "cannot tell", "not a test",
    "yes", "no"];
  let wanted = "";

  const bar = element("div", "claims-filter", { role: "search", "aria-label": "Claims of this thesis" });
  const field = element("input", "", { type: "search", id: "claims-find", placeholder: "study, claim, system" });
  field.autocomplete = "off";
  const label = element("label", "", {});
  label.append("Find ", field);
  const status = element("output", "", { for: "claims-find" });
  const buttons = [button("", `all ${claims.length}`), ...results().map(([name, count]) => button(name, `${name} ${count}`))];
  const group = element("div", "claims-verdicts", { role: "group", "aria-label": "Result" });
  group.append(...buttons);
  bar.append(group, label, status);
  table.before(bar);
  heads.forEach(sortable);
  field.addEventListener("input", show);
  show();

  function element(name, className, attributes) {
    const made = document.createElement(name);
    if (className) made.className = className;
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  }

  // The results with how many claims have each: first what came out, then what did not; unknown ones last.
  function results() {
    const counts = new Map();
    for (const { result } of claims) counts.set(result, (counts.get(result) || 0) + 1);
    const rank = (name) => order.indexOf(name) + 1 || order.length + 1;
    return [...counts].sort((a, b) => rank(a[0]) - rank(b[0]));
  }

  function button(result, text) {
    const made = element("button", "", { type: "button" });
    made.textContent = text;
    made.dataset.result = result;
    made.addEventListener("click", () => {
      wanted = wanted === result ? "" : result;
      show();
    });
    return made;
  }

  // Puts a button into the head of a column that sorts by it: upwards, and the other way round when pressed again.
  function sortable(head, index) {
    const made = element("button", "", { type: "button" });
    made.append(...head.childNodes);
    head.append(made);
    made.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const sorted = [...claims].sort((a, b) => compared(a.cells[index], b.cells[index]) * (down ? -1 : 1));
      table.querySelector("tbody").append(...sorted.map((claim) => claim.row));
    });
  }

  // Numbers come by their value, text in the order of a reader ("figure-2" before "figure-10"), empty cells last.
  function compared(a, b) {
    const [first, second] = [a, b].map((text) => Number.parseFloat(text.replace("−", "-").replaceAll(",", "")));
    if (!Number.isNaN(first) && !Number.isNaN(second)) return first - second;
    if (!a || !b) return a ? -1 : b ? 1 : 0;
    return a.localeCompare(b, "en", { numeric: true });
  }

  // Shows the claims that have the result and every word.
  function show() {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const claim of claims) {
      const fits = (!wanted || claim.result === wanted) && words.every((word) => claim.text.includes(word));
      claim.row.hidden = !fits;
      count += fits;
    }
    for (const one of buttons) one.setAttribute("aria-pressed", String(one.dataset.result === wanted));
    status.value = count < claims.length ? `${count} of ${claims.length} claims` : `${claims.length} claims`;
  }
})();
