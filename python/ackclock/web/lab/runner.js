// Checks a text when it has changed and runs it by itself, the newest only; what would take too long is asked about first.

import { Cancelled } from "../engine/engine.js";
import { later } from "./dom.js";

const PAUSE_MS = 120;
// More packets than this are not simulated unasked, and of more flows only the links are sampled: series of ten thousand
// flows are larger than a tab may be.
export const MOST_PACKETS = 3e6;
export const MOST_FLOWS = 300;

export class Runner {
  #engine;
  #tell;
  #turn = 0;
  #speed = 4e5; // packets per second; after each run what it was

  // tell({kind, ...}): "checked" {answer}, "capped" {packets, seconds, shorter}, "started" {meaning, partial},
  // "progress" {fraction, series}, "finished" {outcome, meaning, text}, "cancelled", "failed" {message}.
  constructor(engine, tell) {
    this.#engine = engine;
    this.#tell = tell;
    this.later = later(PAUSE_MS, (text, options) => this.now(text, options));
  }

  // Something has changed: what is under way is about something that is no more.
  changed(text, options) {
    this.#turn += 1;
    this.later(text, options);
  }

  async now(text, { anyway = false } = {}) {
    const turn = (this.#turn += 1);
    const answer = await this.#engine.check(text);
    if (turn !== this.#turn) return;
    this.#engine.cancel();
    this.#tell({ kind: "checked", answer });
    if (!answer.meaning) return;
    const { meaning } = answer;
    const packets = meaning.expected_packets;
    if (packets > MOST_PACKETS && !anyway) {
      // A little shorter still, as it is rounded when it is written.
      const shorter = Math.max(0.1, (0.95 * meaning.duration_s * MOST_PACKETS) / packets);
      this.#tell({ kind: "capped", packets, seconds: packets / this.#speed, shorter });
      return;
    }
    await this.#run(text, meaning, turn);
  }

  async #run(text, meaning, turn) {
    const flows = meaning.flows.reduce((sum, group) => sum + group.names.length, 0);
    const partial = flows > MOST_FLOWS;
    this.#tell({ kind: "started", meaning, partial });
    try {
      const outcome = await this.#engine.run(text, {
        overrides: partial ? { "observe.flows": false } : {},
        onProgress: (fraction, series) =>
          turn === this.#turn && this.#tell({ kind: "progress", fraction, series, meaning }),
      });
      if (turn !== this.#turn) return;
      if (outcome.seconds > 0.1) this.#speed = outcome.packets / outcome.seconds;
      this.#tell({ kind: "finished", outcome, meaning, text });
    } catch (error) {
      if (turn !== this.#turn) return;
      this.#tell(error instanceof Cancelled ? { kind: "cancelled" } : { kind: "failed", message: error.message });
    }
  }

  cancel() {
    this.#engine.cancel();
  }
}
