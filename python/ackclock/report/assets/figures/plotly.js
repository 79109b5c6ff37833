// Plotly: unpacked when the first figure comes near, and only once.

let loading = null;

function library() {
  loading = loading || unpack();
  return loading;
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
