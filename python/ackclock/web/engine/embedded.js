// What a page has inside of it: elements <script type="..."> that the browser does not run.

// The bytes that were compressed with gzip and written in base64.
export async function unpacked(id) {
  const packed = document.getElementById(id).textContent.trim();
  const bytes = Uint8Array.from(atob(packed), character => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

// The JSON.
export function given(id) {
  return JSON.parse(document.getElementById(id).textContent);
}
