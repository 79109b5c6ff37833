// Before anything is painted: the theme chosen earlier, or else the system's.
(function () {
  "use strict";
  let chosen = null;
  try {
    chosen = localStorage.getItem("ackclock-theme");
  } catch (error) {
    // A browser may forbid storage to local files; the choice then lasts as long as the page.
  }
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.theme = chosen || (dark ? "dark" : "light");
})();
