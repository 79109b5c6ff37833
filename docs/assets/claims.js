// Buttons for the verdicts and a field for words above the folded tables of claims on the pages of theses. Without this
// script the tables are whole, folded by chapter.
(function () {
  "use strict";

  const chapters = [...document.querySelectorAll("details.claims")];
  if (!chapters.length) return;

  const claims = chapters.flatMap((chapter) =>
    [...chapter.querySelectorAll("tbody tr")].map((row) => {
      const cells = row.querySelectorAll("td");
      return {
        row,
        chapter,
        verdict: cells[cells.length - 1].textContent.split("(")[0].trim(),
        text: row.textContent.toLowerCase(),
      };
    })
  );
  const unfolded = new Map(chapters.map((chapter) => [chapter, chapter.open]));
  let wanted = "";

  const bar = document.createElement("div");
  bar.className = "claims-filter";
  bar.setAttribute("role", "search");
  bar.setAttribute("aria-label", "Claims of this thesis");

  const field = document.createElement("input");
  field.type = "search";
  field.id = "claims-find";
  field.placeholder = "study, claim, system";
  field.autocomplete = "off";
  const label = document.createElement("label");
  label.append("Find ", field);

  const status = document.createElement("output");
  status.htmlFor = "claims-find";

  const buttons = [button("", `all ${claims.length}`), ...verdicts().map(([name, count]) => button(name, `${name} ${count}`))];
  const group = document.createElement("div");
  group.className = "claims-verdicts";
  group.setAttribute("role", "group");
  group.setAttribute("aria-label", "Verdict");
  group.append(...buttons);
  bar.append(group, label, status);
  chapters[0].before(bar);
  field.addEventListener("input", show);
  show();

  // The verdicts with how many claims have each: first what came out, then what did not; unknown ones last.
  function verdicts() {
    const order = ["reproduced", "direction only", "not reproduced", "hangs on the reading", "undecided",
      "not discriminating", "set-up unknown", "not a test", "yes", "no"];
    const counts = new Map();
    for (const { verdict } of claims) counts.set(verdict, (counts.get(verdict) || 0) + 1);
    const rank = (name) => (order.indexOf(name) + 1 || order.length + 1);
    return [...counts].sort((a, b) => rank(a[0]) - rank(b[0]));
  }

  function button(verdict, text) {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = text;
    made.dataset.verdict = verdict;
    made.addEventListener("click", () => {
      wanted = wanted === verdict ? "" : verdict;
      show();
    });
    return made;
  }

  // Shows the claims that have the verdict and every word. Folds are open while something is looked for.
  function show() {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const filtered = Boolean(wanted || words.length);
    const shown = new Map(chapters.map((chapter) => [chapter, 0]));
    for (const claim of claims) {
      const fits = (!wanted || claim.verdict === wanted) && words.every((word) => claim.text.includes(word));
      claim.row.hidden = !fits;
      if (fits) shown.set(claim.chapter, shown.get(claim.chapter) + 1);
    }
    for (const [chapter, count] of shown) {
      chapter.hidden = count === 0;
      if (filtered) chapter.open = true;
      else if (bar.dataset.filtered) chapter.open = unfolded.get(chapter);
    }
    bar.dataset.filtered = filtered ? "yes" : "";
    for (const one of buttons) one.setAttribute("aria-pressed", String(one.dataset.verdict === wanted));
    const count = [...shown.values()].reduce((sum, one) => sum + one, 0);
    status.value = filtered ? `${count} of ${claims.length} claims` : `${claims.length} claims`;
  }
})();
