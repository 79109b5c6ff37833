// B: a run that is kept, to be compared with those that come.

import { byId } from "./dom.js";

// Keeps a run of the present text; none where `kept` is null.
export function keep({ state, board }, kept) {
  board.b = kept;
  state.keptText = kept ? state.text : null;
  byId("drop").disabled = !kept;
  byId("swap").disabled = !kept;
  board.draw();
}

// The B of a link is run once, without progress.
export async function compare(page, text) {
  const answer = await page.engine.check(text);
  if (!answer.meaning) return;
  const { result } = await page.engine.run(text);
  page.state.text = text;
  keep(page, { meaning: answer.meaning, series: result.series, result });
}
