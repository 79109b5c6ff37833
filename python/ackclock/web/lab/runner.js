// Checks a text when it has changed and runs the newest version by itself; asks first if the run would take too long.

import { Cancelled } from "../engine/engine.js";
import { later } from "./dom.js";

const PAUSE_MS = 120;
// Limits: more packets are not simulated without asking, and with more flows only the links are sampled, because series of
// ten thousand flows exceed the memory of a tab.
export const MOST_PACKETS = 3e6;
export const MOST_FLOWS = 300;

export class Runner {
  #engine;
  #tell;
  #turn = 0;
  #speed = 4e5; // packets per second; after each run, the measured value

  // tell({kind, ...}): "checked" {answer}, "capped" {packets, seconds, shorter}, "started" {meaning, partial},
  // "progress" {fraction, series}, "finished" {outcome, meaning, text}, "cancelled", "failed" {message}.
  constructor(engine, tell) {
    this.#engine = engine;
    this.#tell = tell;
    this.later = later(PAUSE_MS, (text, options) => this.now(text, options));
  }

  // Called when something has changed: the current run belongs to an old version.
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
      // A little shorter, because the value is rounded when it is written.
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
