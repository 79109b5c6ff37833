// Runs the scenario that is shown with more seeds, so that the table has means with intervals.

import { Cancelled } from "../engine/engine.js";
import { Pool } from "../engine/pool.js";
import { byId } from "./dom.js";
import { MOST_PACKETS } from "./runner.js";
import { status } from "./view.js";

export const SEEDS = 10;

export class Seeds {
  #module;
  #board;
  #pool = null;
  #turn = 0;
  #last = null; // the promise of the runs before

  constructor(module, board) {
    this.#module = module;
    this.#board = board;
    byId("seeds").addEventListener("change", () => this.#changed());
  }

  // Called when the text has changed: runs of an old version are of no use.
  cancel() {
    this.#turn += 1;
    this.#pool?.cancel();
  }

  // Called when the reader wants no more of them.
  stop() {
    this.#pool?.cancel();
  }

  // Called when the run of `text` is over. Runs it with the seeds that follow the scenario's, if the reader wants that.
  async follow(text) {
    const shown = this.#board.a;
    const { meaning, result } = shown;
    if (!byId("seeds").checked || shown.others) return;
    if (meaning.expected_packets * SEEDS > 4 * MOST_PACKETS) {
      status(`Done with one seed; ${SEEDS} seeds of this scenario would take too long: shorten its duration`);
      return;
    }
    this.cancel();
    const turn = this.#turn;
    try {
      this.#pool ??= await Pool.start(this.#module);
      await this.#last?.catch(() => {});
      if (turn !== this.#turn) return;
      const jobs = Array.from({ length: SEEDS - 1 }, (_, k) => ({ toml: text, seed: result.seed + k + 1 }));
      byId("cancel").disabled = false;
      const onProgress = (fraction) => turn === this.#turn && (byId("progress").value = fraction);
      status(`Running with ${SEEDS} seeds`);
      this.#last = this.#pool.run(jobs, { onProgress });
      const outcomes = await this.#last;
      if (turn !== this.#turn) return;
      const failed = outcomes.find((outcome) => outcome.error);
      if (failed) throw failed.error;
      shown.others = outcomes.map((outcome) => outcome.result);
      status("Done");
      document.body.dataset.seeds = SEEDS;
    } catch (error) {
      if (turn !== this.#turn) return;
      status(error instanceof Cancelled ? "Cancelled" : error.message, "wrong");
    }
    byId("cancel").disabled = true;
    this.#board.draw();
  }

  #changed() {
    const { a } = this.#board;
    if (byId("seeds").checked) {
      if (a?.result) this.follow(a.text);
      return;
    }
    this.cancel();
    for (const one of [a, this.#board.b]) if (one) delete one.others;
    this.#board.draw();
  }
}
