// Everything on the page but the figures: theme, copy buttons, the index's filter, the sidebar, printing.
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

  function setTheme(theme) {
    root.dataset.theme = theme;
    button.setAttribute("aria-pressed", String(theme === "dark"));
    document.dispatchEvent(new CustomEvent("themechange"));
  }
  button.setAttribute("aria-pressed", String(root.dataset.theme === "dark"));
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

  // Copying. The clipboard interface is missing where the browser holds a local file for insecure.
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

  // The index's filter, which also thins out the sidebar.
  const find = document.getElementById("find");
  if (find) {
    const show = document.getElementById("show");
    const lines = Array.from(document.querySelectorAll("#index .studies > li"));
    const misses = Array.from(document.querySelectorAll("#index .miss"));
    const filter = function () {
      const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
      let count = 0;
      for (const line of lines) {
        const fits =
          words.every((word) => line.dataset.text.includes(word)) &&
          (!show.value || line.dataset.verdicts.split(" ").includes(show.value));
        line.hidden = !fits;
        count += fits ? 1 : 0;
        const id = line.querySelector("a").hash.slice(1);
        const beside = document.querySelector('.sidebar a[data-study="' + CSS.escape(id) + '"]');
        if (beside) beside.parentElement.hidden = !fits;
      }
      for (const thesis of document.querySelectorAll("#index .thesis")) {
        thesis.hidden = !thesis.querySelector(".studies > li:not([hidden])");
      }
      for (const miss of misses) {
        const text = miss.dataset.text + " " + miss.textContent.toLowerCase();
        miss.hidden = !words.every((word) => text.includes(word));
      }
      for (const thesis of document.querySelectorAll("#index .misses")) {
        thesis.hidden = !thesis.querySelector(".miss:not([hidden])");
      }
      for (const group of document.querySelectorAll(".sidebar details")) {
        group.hidden = !group.querySelector("li:not([hidden])");
        if (words.length) group.open = true;
      }
      document.getElementById("shown").textContent = count + " of " + lines.length;
    };
    find.addEventListener("input", filter);
    show.addEventListener("change", filter);
    find.form.addEventListener("submit", (event) => event.preventDefault());
  }

  // The sidebar marks the study that is being read.
  const links = new Map();
  for (const link of document.querySelectorAll(".sidebar a")) links.set(link.dataset.study, link);
  if (links.size) {
    const watch = new IntersectionObserver(
      function (entries) {
        for (const entry of entries) {
          const link = links.get(entry.target.id);
          if (!entry.isIntersecting) {
            link.removeAttribute("aria-current");
            continue;
          }
          link.setAttribute("aria-current", "true");
          link.closest("details").open = true;
          const bar = link.closest(".sidebar");
          const at = link.offsetTop - bar.scrollTop;
          if (at < 0 || at > bar.clientHeight - 40) bar.scrollTop = link.offsetTop - bar.clientHeight / 2;
        }
      },
      // A study is being read while it crosses a line near the top of the window.
      { rootMargin: "-25% 0px -74% 0px" }
    );
    for (const study of document.querySelectorAll("article.study")) watch.observe(study);
  }

  // On paper nothing is folded and the background is white.
  let folded = [];
  let before = null;
  addEventListener("beforeprint", function () {
    folded = Array.from(document.querySelectorAll("details:not([open])"));
    for (const one of folded) one.open = true;
    before = root.dataset.theme;
    root.dataset.theme = "light";
    document.dispatchEvent(new CustomEvent("printstart"));
  });
  addEventListener("afterprint", function () {
    for (const one of folded) one.open = false;
    root.dataset.theme = before;
    document.dispatchEvent(new CustomEvent("printend"));
  });
})();
