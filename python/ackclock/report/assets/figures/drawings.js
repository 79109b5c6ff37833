// Saves drawings that are on the page as SVG, such as planes of delay and goodput, as files.

const LOOKS = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "font-size", "font-family", "text-anchor"];
const LINE = 16;

// Returns a copy that needs neither the page's style sheet nor its shapes, in the colours of the light theme, with its legend.
function standalone(svg) {
  const root = document.documentElement;
  const shown = root.dataset.theme;
  const copy = svg.cloneNode(true);
  const box = svg.viewBox.baseVal;
  const marks = Array.from(copy.querySelectorAll("g"));
  copy.append(...legendOf(marks, box));
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", box.width);
  copy.setAttribute("height", box.height + LINE * marks.length);
  copy.setAttribute("viewBox", "0 0 " + box.width + " " + (box.height + LINE * marks.length));
  svg.after(copy);
  root.dataset.theme = "light";
  for (const part of copy.querySelectorAll("*")) {
    const look = getComputedStyle(part);
    part.setAttribute("style", LOOKS.map((name) => name + ":" + look.getPropertyValue(name)).join(";"));
  }
  const back = getComputedStyle(root).getPropertyValue("--back").trim();
  root.dataset.theme = shown;
  copy.remove();
  for (const used of new Set(Array.from(copy.querySelectorAll("use"), (use) => use.getAttribute("href")))) {
    copy.prepend(document.querySelector(used).cloneNode(true));
  }
  for (const shape of copy.querySelectorAll("[id]")) {
    const definitions = document.createElementNS(copy.namespaceURI, "defs");
    shape.replaceWith(definitions);
    definitions.append(shape);
  }
  copy.style.background = back;
  return copy;
}

function legendOf(marks, box) {
  return marks.map(function (mark, k) {
    const line = document.createElementNS(mark.namespaceURI, "g");
    const shape = mark.querySelector("use:last-of-type").cloneNode();
    const text = document.createElementNS(mark.namespaceURI, "text");
    line.setAttribute("style", mark.getAttribute("style"));
    shape.setAttribute("x", 60);
    shape.setAttribute("y", box.height + LINE * k + 6);
    text.setAttribute("x", 72);
    text.setAttribute("y", box.height + LINE * k + 10);
    text.textContent = mark.querySelector("title").textContent.split(": ")[0];
    line.append(shape, text);
    return line;
  });
}

async function pixels(url, width, height) {
  const image = new Image();
  image.src = url;
  await image.decode();
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width: 3 * width, height: 3 * height });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas.toDataURL("image/png");
}

async function takeDrawing(what, figure) {
  const name = figure.dataset.file;
  if (what === "csv") return take(what, { description: JSON.parse(figure.querySelector("script").textContent), name: name });
  const svg = standalone(figure.querySelector("svg"));
  const url = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(new XMLSerializer().serializeToString(svg));
  const [width, height] = ["width", "height"].map((side) => Number(svg.getAttribute(side)));
  if (what === "pdf") return printed({ url: url, width: width, height: height }, name);
  save(what === "png" ? await pixels(url, width, height) : url, name + "." + what);
}

for (const figure of document.querySelectorAll("figure.plane[data-file]")) {
  figure.addEventListener("click", function (event) {
    const button = event.target.closest("button[data-do]");
    if (button) takeDrawing(button.dataset.do, figure).catch(console.error);
  });
}
