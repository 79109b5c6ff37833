// The set-up is in the address, so that reloading and sending it are enough.

import { byId, say } from "./dom.js";
import { packed } from "./share.js";

// A page that was opened as a file has an address that others cannot open.
const ELSEWHERE = location.protocol === "file:"
  ? ". The link opens only with this file on this computer; for others, put the page on a web site, or save the scenario as TOML."
  : "";

function link(state) {
  return packed({ scenario: state.text, lesson: state.lesson?.name ?? null, b: state.keptText });
}

export async function remember(state) {
  const hash = await link(state);
  try {
    history.replaceState(null, "", `#${hash}`);
  } catch {
    // A page inside another may not; the button still copies the link.
  }
}

export async function copyLink(state) {
  const address = `${location.href.split("#")[0]}#${await link(state)}`;
  history.replaceState(null, "", address);
  await copied(address);
}

async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    say("The link is copied");
    byId("link-said").textContent = `Copied${ELSEWHERE}`;
  } catch {
    byId("link-said").textContent = `The link is in the address bar${ELSEWHERE}`;
  }
}
