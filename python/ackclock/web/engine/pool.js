// Several engines for many runs.
//
//   const pool = await Pool.start(wasm, {workers = as many as the machine has cores to spare, at most 4})
//   await pool.run(jobs, {onResult, onProgress}) -> outcomes
//     jobs: [{toml, seed, overrides, series = false}], as Engine.run takes them.
//     outcomes: the result of Engine.run for each job, or {error} for a failed one.
//     onResult(index, outcome) is called as jobs finish, onProgress(fraction) with the fraction of all the work.
//     Rejects with Cancelled when it was cancelled.
//   pool.cancel(), pool.stop()

import { Cancelled, Engine } from "./engine.js";

const MOST_WORKERS = 4;

export class Pool {
  #engines;
  #cancelled = false;

  static async start(wasm, { workers = sparedCores() } = {}) {
    const pool = new Pool();
    const first = await Engine.start(wasm);
    const others = Array.from({ length: workers - 1 }, () => Engine.start(first.module));
    pool.#engines = [first, ...await Promise.all(others)];
    return pool;
  }

  async run(jobs, { onResult, onProgress } = {}) {
    this.#cancelled = false;
    const outcomes = new Array(jobs.length), done = new Array(jobs.length).fill(0);
    const tell = (index, fraction) => {
      done[index] = fraction;
      onProgress?.(done.reduce((sum, part) => sum + part, 0) / jobs.length);
    };
    let next = 0;
    const work = async engine => {
      while (next < jobs.length && !this.#cancelled) {
        const index = next++;
        outcomes[index] = await this.#outcome(engine, jobs[index], fraction => tell(index, fraction));
        if (this.#cancelled) return;
        tell(index, 1);
        onResult?.(index, outcomes[index]);
      }
    };
    await Promise.all(this.#engines.map(work));
    if (this.#cancelled) throw new Cancelled();
    return outcomes;
  }

  cancel() {
    this.#cancelled = true;
    for (const engine of this.#engines) engine.cancel();
  }

  stop() {
    this.#cancelled = true;
    for (const engine of this.#engines) engine.stop();
  }

  async #outcome(engine, { toml, seed, overrides, series = false }, onProgress) {
    try {
      return await engine.run(toml, { seed, overrides, series, onProgress });
    } catch (error) {
      return { error };
    }
  }
}

// Leaves one core to the page.
function sparedCores() {
  return Math.max(1, Math.min(MOST_WORKERS, (navigator.hardwareConcurrency ?? 2) - 1));
}
