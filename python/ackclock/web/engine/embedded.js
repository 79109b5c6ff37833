// Reads data inside the page: elements <script type="..."> that the browser does not run.

// Base 85 as in Python's base64.b85encode, with , . : instead of < > &, which HTML would interpret.
const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%:()*+-;,=.?@^_\x60{|}~";

// Returns the bytes of an element that holds them compressed with gzip, in base 85; see module.py.
export function unpacked(id) {
  return unpackedText(document.getElementById(id).textContent.trim());
}

// Returns the bytes of a text in this form.
export async function unpackedText(text) {
  const stream = new Blob([bytesOf(text)]).stream();
  return new Response(stream.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

// Decodes base 85: five characters are four bytes; n < 5 characters at the end are n - 1 bytes.
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

// Returns the parsed JSON of an element.
export function given(id) {
  return JSON.parse(document.getElementById(id).textContent);
}
