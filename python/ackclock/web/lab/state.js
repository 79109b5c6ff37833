// What the page knows; all that changes while it is open is here, in the scenario's text or in the document's elements.

// The text of the scenario is what holds; `root` is the text read, of the last text that could be read; `meaning` is what it
// comes to, of the last text that was right. `shown` is the text of the run that is drawn to its end, `keptText` that of B.
export function newState() {
  return { text: "", shown: null, root: null, meaning: null, chosen: "flow:0", lesson: null, keptText: null };
}
