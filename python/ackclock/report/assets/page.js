// Everything on the page except the figures: theme, copy buttons, printing.
(function () {
  "use strict";
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const button = document.getElementById("theme");
  let chosen = null;
  try {
    chosen = localStorage.getItem("ackclock-theme");
  } catch (error) {
    // See theme.js.
  }

  // The button says what it does.
  function label() {
    button.textContent = root.dataset.theme === "dark" ? "Light colours" : "Dark colours";
  }
  function setTheme(theme) {
    root.dataset.theme = theme;
    label();
    document.dispatchEvent(new CustomEvent("themechange"));
  }
  label();
  button.addEventListener("click", function () {
    chosen = root.dataset.theme === "dark" ? "light" : "dark";
    try {
      localStorage.setItem("ackclock-theme", chosen);
    } catch (error) {
      // See theme.js.
    }
    setTheme(chosen);
  });
  system.addEventListener("change", function () {
    if (!chosen) setTheme(system.matches ? "dark" : "light");
  });

  // Copying. The clipboard interface is missing if the browser considers a local file insecure.
  const said = document.getElementById("said");

  function selectAndCopy(text) {
    const area = document.createElement("textarea");
    area.value = text;
    area.setAttribute("readonly", "");
    area.className = "unseen";
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }

  async function copy(from) {
    const text = from.dataset.copy || from.previousElementSibling.textContent;
    let done;
    try {
      await navigator.clipboard.writeText(text);
      done = true;
    } catch (error) {
      done = selectAndCopy(text);
    }
    from.focus();
    from.textContent = done ? "Copied" : "Failed";
    said.textContent = done ? "Copied" : "The browser does not allow copying; please select the text.";
    setTimeout(function () {
      from.textContent = "Copy";
      said.textContent = "";
    }, 2000);
  }
  for (const one of document.querySelectorAll("button.copy")) {
    one.addEventListener("click", function () {
      copy(one);
    });
  }

  // A link to something folded unfolds it.
  function unfold() {
    let name = location.hash.slice(1);
    try {
      name = decodeURIComponent(name);
    } catch {
      // A stray % is no encoding.
    }
    const target = name && document.getElementById(name);
    if (!target) return;
    const folds = [];
    for (let one = target.closest("details"); one; one = one.parentElement.closest("details")) folds.push(one);
    for (const fold of folds) fold.open = true;
    if (folds.length) target.scrollIntoView();
  }
  addEventListener("hashchange", unfold);
  addEventListener("DOMContentLoaded", unfold);
  if (document.readyState !== "loading") unfold();

  // On paper nothing is folded and the background is white.
  let folded = [];
  let before = null;
  addEventListener("beforeprint", function () {
    // A figure printed alone has nothing to unfold.
    if (root.dataset.printing) return;
    folded = Array.from(document.querySelectorAll("details:not([open])"));
    for (const one of folded) one.open = true;
    before = root.dataset.theme;
    root.dataset.theme = "light";
    document.dispatchEvent(new CustomEvent("printstart"));
  });
  addEventListener("afterprint", function () {
    if (before === null) return;
    for (const one of folded) one.open = false;
    root.dataset.theme = before;
    before = null;
    document.dispatchEvent(new CustomEvent("printend"));
  });
})();
