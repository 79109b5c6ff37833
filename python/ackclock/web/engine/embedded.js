// What a page has inside of it: elements <script type="..."> that the browser does not run.

// Base 85 as Python's base64.b85encode has it, with , . : in place of < > &, which HTML would read.
const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%:()*+-;,=.?@^_\x60{|}~";

// The bytes that were compressed with gzip and written in base 85, see module.py.
export async function unpacked(id) {
  const stream = new Blob([bytesOf(document.getElementById(id).textContent.trim())]).stream();
  return new Response(stream.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

// Five characters are four bytes; fewer at the end are one byte less than there are characters.
function bytesOf(text) {
  const digit = new Uint8Array(128);
  for (let value = 0; value < ALPHABET.length; value++) digit[ALPHABET.charCodeAt(value)] = value;
  const bytes = new Uint8Array(Math.ceil(text.length / 5) * 4), view = new DataView(bytes.buffer);
  for (let from = 0, to = 0; from < text.length; from += 5, to += 4) {
    let word = 0;
    for (let at = from; at < from + 5; at++) word = word * 85 + (at < text.length ? digit[text.charCodeAt(at)] : 84);
    view.setUint32(to, word);
  }
  return bytes.subarray(0, bytes.length - (Math.ceil(text.length / 5) * 5 - text.length));
}

// The JSON.
export function given(id) {
  return JSON.parse(document.getElementById(id).textContent);
}
