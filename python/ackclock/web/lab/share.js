// A set-up in the fragment of an address: JSON, compressed, in base64url. "s1." names this format.

const FORM = "s1.";
// The largest set-up in bytes, as large as a scenario file may be: a few kilobytes of a link could unpack to gigabytes.
const MOST_BYTES = 10_000_000;

// A browser unpacks all of a piece before anything can be read: a thousand times as much at the most.
const PIECE_BYTES = 1000;

function pieces(bytes) {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at < bytes.length) controller.enqueue(bytes.subarray(at, (at += PIECE_BYTES)));
      else controller.close();
    },
  });
}

async function through(stream, bytes, most = Infinity) {
  const reader = pieces(bytes).pipeThrough(stream).getReader();
  const parts = [];
  let size = 0;
  for (let step = await reader.read(); !step.done; step = await reader.read()) {
    size += step.value.length;
    if (size > most) {
      await reader.cancel();
      throw new RangeError("too large");
    }
    parts.push(step.value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
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

// Returns the set-up, or null if the text is none, or is one of more than MOST_BYTES.
export async function unpackedLink(hash) {
  const text = hash.replace(/^#/, "");
  if (!text.startsWith(FORM)) return null;
  try {
    const binary = atob(text.slice(FORM.length).replace(/-/g, "+").replace(/_/g, "/"));
    const bytes = await through(
      new DecompressionStream("deflate-raw"),
      Uint8Array.from(binary, (character) => character.charCodeAt(0)),
      MOST_BYTES,
    );
    const setUp = JSON.parse(new TextDecoder().decode(bytes));
    return typeof setUp?.scenario === "string" ? setUp : null;
  } catch {
    return null;
  }
}
