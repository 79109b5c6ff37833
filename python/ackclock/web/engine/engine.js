// The simulator for a page. Everything slow happens in a worker, so that the page never waits.
//
//   const engine = await Engine.start(wasm)
//     wasm: the module's bytes (ArrayBuffer or typed array), or a WebAssembly.Module. Engines that are started from one
//     Module share its compiled code. Works from file://, with no network.
//
//   engine.registry(), engine.tables(), engine.fields(), engine.version()
//     Return at once: the output of `ackclock list --json`, the tables of a scenario file, the fields of results, and the
//     core's version.
//       registry: [{kind, name, summary, source, parameters: [{name, summary, unit, default, range, minimum, above_minimum,
//         maximum, choices, source}]}]; bounds count in seconds, bit/s, bytes and packets and are null where there are none;
//       tables: [{name, meaning, keys: [{name, meaning, required, default, otherwise, example, needs, written, opens, lists, names,
//         ranges: [{quantity, unit, minimum, above_minimum, maximum}]}], ...}]; `default` and `example` are TOML;
//       kind is "control", "queue", "loss", "transport", "application", "discriminator", ...
//       fields: {run | flow | link | group: [{name, kind, unit, nullable, optional, meaning}]}.
//
//   await engine.check(toml, {overrides = {}}) -> {errors, warnings, document, meaning}
//     Never rejects because of a wrong text. May be called at every key press: of several waiting checks only the
//     last is made, and the earlier ones get its answer. Works during a run.
//       errors: [{line, column, end: {line, column}, from, to, path, found, expected, hint, message}]; lines and columns
//         count characters from 1; `end` is behind the last character; `from` and `to` are the same places as indices
//         into the text, for setSelectionRange. All six are null if an override is wrong. `hint` is the nearest correct
//         value or null; `message` is one sentence without the place.
//       warnings: sentences about settings that are allowed but hardly intended; also in `meaning`.
//       document: the text as JSON with the overrides applied; null if the text is not TOML.
//       meaning: null if there are errors, else the scenario with all defaults filled in:
//         {name, duration_s, warmup_s, seed, replications, precision, expected_packets, warnings, links: [name],
//          flows: [{group, control, transport, names: [...], paths: [{forward: [index of a link], backward: [...]}]}],
//          network: {links: [{name, from, to, rate_bps, varies, delay_s, queue, queue_packets, queue_bytes, loss}]},
//          sweep: {axes: [{path, sampled, unit, values, cells}], points: [[index of each axis's value]], ...}}.
//         `paths` are those of the group's flows in their order, at most a hundred; `from` and `to` are nodes; `queue` and
//         `loss` are names or null; `queue_packets` or `queue_bytes` is the queue's capacity, both null without limit.
//
//   await engine.run(toml, {seed, overrides = {}, series = true, onProgress}) -> {result, text, packets, seconds}
//     seed: default: the scenario's. overrides: {dotted path: value}, as in `ackclock run --set`.
//     result: the parsed result, with its series {time_s: [...], flows: {name: {quantity: [...]}}, links: {...}}, null
//     if there was nothing to sample; text: the result as JSON, byte for byte as the native core writes it; packets:
//     data packets that left the first link; seconds: the time that the run took.
//     onProgress(fraction, series) is called some ten times a second. `series` has the samples so far, in the form of
//     result.series; it is one growing object of the engine: read it, do not change it. null without series.
//     Runs are made one after another in the order of the calls.
//     Rejects with Cancelled, with WrongScenario (errors: as in check), or with RunFailed (message: the reason).
//
//   engine.cancel()
//     Makes the current run and those that wait reject with Cancelled within tens of milliseconds.
//
//   engine.stop()
//     Ends the worker; current and later calls reject with Cancelled.
//
// For many runs at a time, such as a what-if curve, see Pool in pool.js.

import { Cancelled, RunFailed, WrongScenario } from "./errors.js";
import { Growing } from "./growing.js";
import { placed } from "./places.js";
import { workerText } from "./worker.js";

export { Cancelled, RunFailed, WrongScenario };

// The time in milliseconds after which a worker that does not answer is replaced: it computes something uninterruptible.
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
  #over = null; // the reason why nothing is answered any more
  #leaving = null; // a cancelled run that the worker has not left yet: {id, timer}

  static async start(wasm) {
    const engine = new Engine();
    engine.#module = wasm instanceof WebAssembly.Module ? wasm : await WebAssembly.compile(wasm);
    engine.#catalogue = await engine.#begin();
    return engine;
  }

  get module() { return this.#module; }
  registry() { return this.#catalogue.registry; }
  tables() { return this.#catalogue.tables; }
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

  // Sends the next run if the worker is free.
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

  // Returns a worker that is ready for messages.
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

  // Ends a worker that does not answer, and sends its open requests to a new one.
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

  // Rejects all open and later requests.
  #fail(error) {
    this.#over = error;
    const owed = [...this.#asked.values(), ...this.#runs.splice(0)];
    this.#asked.clear();
    this.#running = null;
    for (const asked of owed) asked.reject(error);
  }
}
