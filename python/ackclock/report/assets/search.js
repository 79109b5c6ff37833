// The index's search over studies and their claims, by words, by verdict and by system.
(function () {
  "use strict";
  const find = document.getElementById("find");
  const show = document.getElementById("show");
  const system = document.getElementById("system");
  const studies = Array.from(document.querySelectorAll("#index .line"), (line) => ({
    line: line,
    about: line.dataset.text,
    systems: line.dataset.systems.split(" "),
    details: line.querySelector(".found"),
    claims: Array.from(line.querySelectorAll(".found li"), (claim) => ({
      line: claim,
      verdict: claim.dataset.verdict,
      text: claim.textContent.toLowerCase(),
    })),
  }));

  // Returns how many of the study's claims match, and hides the others.
  function fitting(study, words) {
    let count = 0;
    for (const claim of study.claims) {
      const text = study.about + " " + claim.text;
      const fits = words.every((word) => text.includes(word)) && (!show.value || claim.verdict === show.value);
      claim.line.hidden = !fits;
      count += fits ? 1 : 0;
    }
    return count;
  }

  function filter() {
    const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
    const asked = Boolean(words.length || show.value || (system && system.value));
    let found = 0;
    let claims = 0;
    for (const study of studies) {
      const count = fitting(study, words);
      const itself = !show.value && words.every((word) => study.about.includes(word));
      const runs = !system || !system.value || study.systems.includes(system.value);
      const fits = runs && (itself || count > 0);
      study.line.hidden = !fits;
      found += fits ? 1 : 0;
      claims += fits ? count : 0;
      // Unfolds the claims of a study that matches because of them.
      if (study.details) study.details.open = fits && asked && !itself;
    }
    // Opens the lists of studies, which are folded if there are several publications, during a search.
    for (const list of document.querySelectorAll("#index .listed")) list.open = asked;
    for (const thesis of document.querySelectorAll("#index .thesis")) thesis.hidden = !thesis.querySelector(".line:not([hidden])");
    document.getElementById("shown").textContent =
      found + " of " + studies.length + " studies" + (asked ? ", " + claims + " claim" + (claims === 1 ? "" : "s") : "");
    document.getElementById("nothing").hidden = found > 0;
  }

  find.addEventListener("input", filter);
  show.addEventListener("change", filter);
  if (system) system.addEventListener("change", filter);
  find.form.addEventListener("submit", (event) => event.preventDefault());
  for (const link of document.querySelectorAll("[data-show]")) {
    link.addEventListener("click", function () {
      show.value = link.dataset.show;
      filter();
    });
  }
  // A browser that goes back fills in the earlier search.
  addEventListener("pageshow", filter);
})();
