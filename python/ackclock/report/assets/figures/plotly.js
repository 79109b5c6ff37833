// Unpacks Plotly once, from the page or from the file beside it, when the first figure scrolls near.

let loading = null;

function library() {
  const beside = document.getElementById("figures").dataset.library;
  loading = loading || (beside ? load(beside) : inside()).then(unpack);
  return loading;
}

async function inside() {
  return document.getElementById("plotly-packed").textContent;
}

function load(file) {
  return new Promise(function (done, failed) {
    const script = document.createElement("script");
    script.src = file;
    script.onload = () => done(window.packedPlotly);
    script.onerror = () => failed(new Error(file + " is not in this page's folder"));
    document.head.append(script);
  });
}

async function unpack(packed) {
  const script = document.createElement("script");
  script.textContent = await unpacked(packed);
  document.head.append(script);
  return window.Plotly;
}

// Returns the text that was compressed with gzip and written in base 64.
async function unpacked(text) {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}
