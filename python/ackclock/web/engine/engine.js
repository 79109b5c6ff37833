// The simulator for a page. Everything slow happens in a worker, so that the page never waits.
//
//   const engine = await Engine.start(wasm)
//     wasm: the module's bytes (ArrayBuffer or typed array), or a WebAssembly.Module. Engines that are started from one
//     Module share its compiled code. Works from file://, with no network.
//
//   engine.registry(), engine.fields(), engine.version()
//     At once: what `ackclock list --json` has, the fields of results, and the core's version.
//       registry: [{kind, name, summary, source, parameters: [{name, summary, unit, default, range, choices, source}]}];
//       kind is "control", "queue", "loss", "transport", "application", "discriminator", ...
//       fields: {run | flow | link | group: [{name, kind, unit, nullable, optional, meaning}]}.
//
//   await engine.check(toml, {overrides = {}}) -> {errors, warnings, document, meaning}
//     Never rejects for what is wrong with the text. May be called at every key: of several checks that wait only the
//     last is made, and the earlier ones are answered with what that finds. Works while a run goes on.
//       errors: [{line, column, end: {line, column}, from, to, path, found, expected, hint, message}]; lines and columns
//         count characters from 1; `end` is behind the last character; `from` and `to` are the same places as indices
//         into the text, for setSelectionRange. All six are null where an override is wrong. `hint` is the nearest right
//         thing or null; `message` is one sentence without the place.
//       warnings: sentences about what is allowed and yet hardly meant; also in `meaning`.
//       document: the text as JSON, overrides in place; null where the text is no TOML.
//       meaning: null where there are errors, else what the scenario comes to with all defaults filled in:
//         {name, duration_s, warmup_s, seed, replications, precision, expected_packets, warnings, links: [name],
//          flows: [{group, control, transport, names: [...], paths: [{forward: [index of a link], backward: [...]}]}],
//          network: {links: [{name, from, to, rate_bps, varies, delay_s, queue, queue_packets, queue_bytes, loss}]},
//          sweep: {axes: [{path, sampled, unit, values, cells}], points: [[index of each axis's value]], ...}}.
//         `paths` are those of the group's flows in their order, at most a hundred; `from` and `to` are nodes; `queue` and
//         `loss` are names or null; `queue_packets` or `queue_bytes` is what the queue holds, both null without limit.
//
//   await engine.run(toml, {seed, overrides = {}, series = true, onProgress}) -> {result, text, packets, seconds}
//     seed: the scenario's own where it is left out. overrides: {dotted path: value}, as `ackclock run --set` has them.
//     result: the result, parsed, with its series {time_s: [...], flows: {name: {quantity: [...]}}, links: {...}}, null
//     where there was nothing to sample; text: the same as JSON, byte for byte what the native core writes; packets:
//     data packets that left the first link; seconds: how long it took.
//     onProgress(fraction, series): some ten times a second. `series` is what was sampled so far, in the form of
//     result.series; it is one growing object that the engine keeps: read it, do not change it. null without series.
//     Runs are made one after another in the order in which they are asked for.
//     Rejects with Cancelled, with WrongScenario (errors: as check has them), or with RunFailed (message: why).
//
//   engine.cancel()
//     The run under way and those that wait reject with Cancelled within tens of milliseconds.
//
//   engine.stop()
//     Ends the worker; what is under way and what is asked later rejects with Cancelled.
//
// For many runs at a time, such as a curve of what-if: see Pool in pool.js.

import { Cancelled, RunFailed, WrongScenario } from "./errors.js";
import { Growing } from "./growing.js";
import { placed } from "./places.js";
import { workerText } from "./worker.js";

export { Cancelled, RunFailed, WrongScenario };

// A worker that has not answered after so long computes something that cannot be interrupted: it is replaced.
const PATIENCE_MS = 150;

export class Engine {
  #module;
  #worker;
  #catalogue = null;
  #next = 1;
  #asked = new Map(); // by id: {message, resolve, reject, onProgress, growing}
  #runs = []; // runs that wait: {message, resolve, reject, onProgress}
  #running = null; // the id of the run under way
  #checks = null; // while one is made: {next: request or null, waiting: [{resolve, reject}]}
  #over = null; // why nothing is answered any more
  #leaving = null; // a cancelled run that the worker has not left yet: {id, timer}

  static async start(wasm) {
    const engine = new Engine();
    engine.#module = wasm instanceof WebAssembly.Module ? wasm : await WebAssembly.compile(wasm);
    engine.#catalogue = await engine.#begin();
    return engine;
  }

  get module() { return this.#module; }
  registry() { return this.#catalogue.registry; }
  fields() { return this.#catalogue.fields; }
  version() { return this.#catalogue.version; }

  async check(toml, { overrides = {} } = {}) {
    const request = { text: toml, overrides };
    if (this.#checks) {
      this.#checks.next = request;
      return new Promise((resolve, reject) => this.#checks.waiting.push({ resolve, reject }));
    }
    this.#checks = { next: null, waiting: [] };
    try {
      return await this.#checked(request);
    } finally {
      const { next, waiting } = this.#checks;
      this.#checks = null;
      if (next) {
        const answer = this.check(next.text, next);
        for (const { resolve, reject } of waiting) answer.then(resolve, reject);
      }
    }
  }

  run(toml, { seed, overrides = {}, series = true, onProgress } = {}) {
    return new Promise((resolve, reject) => {
      if (this.#over) throw this.#over;
      const message = { run: { text: toml, seed, overrides, series } };
      this.#runs.push({ message, resolve, reject, onProgress, growing: new Growing() });
      this.#go();
    });
  }

  cancel() {
    const waiting = this.#runs.splice(0);
    const id = this.#running;
    const under = this.#asked.get(id);
    if (under) {
      this.#asked.delete(id);
      this.#running = null;
      this.#worker.postMessage({ cancel: id });
      this.#leaving = { id, timer: setTimeout(() => this.#replace(), PATIENCE_MS) };
    }
    for (const run of under ? [under, ...waiting] : waiting) run.reject(new Cancelled());
  }

  stop() {
    this.cancel();
    clearTimeout(this.#leaving?.timer);
    this.#worker?.terminate();
    this.#fail(new Cancelled());
  }

  async #checked(request) {
    const { errors, document, meaning } = await this.#ask({ check: request });
    return {
      errors: errors.map(error => placed(error, request.text)),
      warnings: meaning?.warnings ?? [],
      document,
      meaning,
    };
  }

  // Sends the next run, if the worker is free.
  #go() {
    if (this.#running !== null || this.#leaving || !this.#runs.length) return;
    const run = this.#runs.shift();
    this.#running = this.#send(run);
  }

  #ask(message) {
    return new Promise((resolve, reject) => {
      if (this.#over) throw this.#over;
      this.#send({ message, resolve, reject });
    });
  }

  #send(asked) {
    const id = this.#next++;
    this.#asked.set(id, asked);
    this.#worker.postMessage({ id, ...asked.message });
    return id;
  }

  // A worker, ready to be asked.
  #begin() {
    const url = URL.createObjectURL(new Blob([workerText()], { type: "text/javascript" }));
    const worker = this.#worker = new Worker(url);
    return new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => {
        if (data.ready) {
          URL.revokeObjectURL(url);
          resolve(data.ready);
        } else if (data.id === undefined) {
          reject(new RunFailed(data.failed.message));
        } else if (worker === this.#worker) {
          this.#hear(data);
        }
      };
      worker.onerror = event => {
        const error = new RunFailed(`the simulator does not start: ${event.message}`);
        reject(error);
        this.#fail(error);
      };
      worker.postMessage({ module: this.#module });
    });
  }

  // Ends a worker that does not listen, and asks a new one what the old one still owed.
  #replace() {
    this.#worker.terminate();
    this.#leaving = null;
    const owed = [...this.#asked.entries()];
    this.#begin().then(() => {}, error => this.#fail(error));
    for (const [id, asked] of owed) this.#worker.postMessage({ id, ...asked.message });
    this.#go();
  }

  #hear({ id, answer, failed, progress, series }) {
    if (id === this.#leaving?.id && progress === undefined) {
      clearTimeout(this.#leaving.timer);
      this.#leaving = null;
      this.#go();
      return;
    }
    const asked = this.#asked.get(id);
    if (!asked) return;
    if (progress !== undefined) {
      asked.growing.add(series);
      asked.onProgress?.(progress, asked.growing.series);
      return;
    }
    this.#asked.delete(id);
    if (id === this.#running) this.#running = null;
    if (failed) asked.reject(this.#error(failed, asked));
    else if (asked.message.run) asked.resolve({ result: JSON.parse(answer.text), ...answer });
    else asked.resolve(answer);
    this.#go();
  }

  #error({ message, errors }, asked) {
    if (!errors) return new RunFailed(message);
    const text = asked.message.run?.text ?? "";
    return new WrongScenario(errors.map(error => placed(error, text)));
  }

  // Nothing will be answered any more.
  #fail(error) {
    this.#over = error;
    const owed = [...this.#asked.values(), ...this.#runs.splice(0)];
    this.#asked.clear();
    this.#running = null;
    for (const asked of owed) asked.reject(error);
  }
}
