// A set-up in the fragment of an address: JSON, compressed, in base64url. "s1." names this format.

const FORM = "s1.";

async function through(stream, bytes) {
  const piped = new Blob([bytes]).stream().pipeThrough(stream);
  return new Uint8Array(await new Response(piped).arrayBuffer());
}

// {scenario, seed, b} -> text for location.hash; b is the text of the kept scenario, or null.
export async function packed(setUp) {
  const bytes = await through(new CompressionStream("deflate-raw"), new TextEncoder().encode(JSON.stringify(setUp)));
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return FORM + btoa(binary).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

// Returns the word after the # that is no set-up, such as the name of a lesson; null for a set-up, also one that was cut or
// changed on its way, and for an empty text.
export function wordOf(hash) {
  const text = hash.replace(/^#/, "");
  return text === "" || /^s\d+\./.test(text) ? null : text;
}

// Returns the set-up, or null if the text is none.
export async function unpackedLink(hash) {
  const text = hash.replace(/^#/, "");
  if (!text.startsWith(FORM)) return null;
  try {
    const binary = atob(text.slice(FORM.length).replace(/-/g, "+").replace(/_/g, "/"));
    const bytes = await through(
      new DecompressionStream("deflate-raw"),
      Uint8Array.from(binary, (character) => character.charCodeAt(0)),
    );
    const setUp = JSON.parse(new TextDecoder().decode(bytes));
    return typeof setUp?.scenario === "string" ? setUp : null;
  } catch {
    return null;
  }
}
