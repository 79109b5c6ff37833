// The code of the worker. It has no file at run time: a page from file:// can only have a worker that is made
// from text, so the texts of these functions are joined. None of them may use anything else from outside.
import { simulatorOf } from "./simulator.js";

// Returns the worker's whole text.
export function workerText() {
  return `${simulatorOf}\n(${serve})(simulatorOf, self);`;
}

// Messages in: {module}, once; {id, check: request}; {id, run: request}; {cancel: id}.
// Messages out: {ready: catalogue}; {id, answer}; {id, progress, series}; {id, failed: {message, errors, cancelled}}.
function serve(simulatorOf, port) {
  const SLICE_MS = 12; // the time that it computes before it looks for messages
  const TELL_MS = 60; // the interval of its progress messages
  let module = null, simulator = null, cancelled = null;

  // Lets messages in. A timer would wait for four milliseconds each time; a channel does not.
  const { port1, port2 } = new MessageChannel();
  const messages = () => new Promise(resolve => {
    port1.onmessage = resolve;
    port2.postMessage(0);
  });

  async function run(id, request) {
    const began = performance.now();
    const run = simulator.begin(request);
    let told = began, events = 10_000, samples = 0;
    for (let more = true; more;) {
      const from = performance.now();
      more = run.step(events);
      const now = performance.now();
      if (now - from < SLICE_MS / 2) events = Math.min(events * 2, 1 << 24);
      if (now - from > SLICE_MS) events = Math.max(events / 2 | 0, 100);
      if (more && now - told >= TELL_MS) {
        const series = run.seriesSince(samples);
        samples += series?.time_s.length ?? 0;
        port.postMessage({ id, progress: run.progress(), series });
        told = now;
      }
      await messages();
      if (cancelled === id) {
        run.cancel();
        throw Object.assign(new Error("cancelled"), { cancelled: true });
      }
    }
    const packets = run.packets(), text = run.finish();
    return { text, packets, seconds: (performance.now() - began) / 1000 };
  }

  port.onmessage = async ({ data }) => {
    const { id } = data;
    if ("cancel" in data) {
      cancelled = data.cancel;
      return;
    }
    try {
      if (data.module) {
        module = data.module;
        simulator = simulatorOf(module);
        port.postMessage({ ready: simulator.catalogue() });
      } else {
        const answer = data.check ? simulator.check(data.check) : await run(id, data.run);
        port.postMessage({ id, answer });
      }
    } catch (error) {
      if (error.broken) simulator = simulatorOf(module); // the old instance cannot be used any more
      const { message, errors, cancelled } = error;
      port.postMessage({ id, failed: { message, errors, cancelled } });
    }
  };
}
