// Plotly: unpacked, or loaded from beside the page, when the first figure comes near, and only once.

let loading = null;

function library() {
  const beside = document.getElementById("figures").dataset.library;
  loading = loading || (beside ? load(beside) : unpack());
  return loading;
}

function load(file) {
  return new Promise(function (done, failed) {
    const script = document.createElement("script");
    script.src = file;
    script.onload = () => done(window.Plotly);
    script.onerror = () => failed(new Error(file + " is not beside this page"));
    document.head.append(script);
  });
}

async function unpack() {
  const binary = atob(document.getElementById("plotly-packed").textContent);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const script = document.createElement("script");
  script.textContent = await new Response(stream).text();
  document.head.append(script);
  return window.Plotly;
}
