// The module's functions, called with JavaScript values. No import is needed. Everything is in one function that uses
// nothing from outside, because its text also makes the worker.

// The exported functions are described in crates/wasm/src/border.rs.
export function simulatorOf(module) {
  const core = new WebAssembly.Instance(module, {}).exports;
  const encoder = new TextEncoder(), decoder = new TextDecoder();
  core.lab_ready();

  const answer = () =>
    decoder.decode(new Uint8Array(core.memory.buffer, core.lab_answer(), core.lab_answer_length()));

  // After a trap (a defect, or no memory left) the instance cannot be used again: `broken` says so.
  function call(name, ...values) {
    try {
      return core[name](...values);
    } catch (error) {
      const told = error instanceof WebAssembly.RuntimeError ? panicked() : "";
      throw Object.assign(new Error(told || `the simulator stopped: ${error.message}`), { broken: true });
    }
  }

  function panicked() {
    try {
      const told = JSON.parse(answer());
      return typeof told === "string" ? told : "";
    } catch {
      return "";
    }
  }

  function ask(name, request) {
    const bytes = encoder.encode(JSON.stringify(request));
    const room = core.lab_room(bytes.length);
    new Uint8Array(core.memory.buffer, room, bytes.length).set(bytes);
    return call(name);
  }

  function must(code) {
    if (code < 0) throw new Error(JSON.parse(answer()));
    return code === 1;
  }

  return {
    catalogue: () => { call("lab_catalogue"); return JSON.parse(answer()); },

    check(request) {
      must(ask("lab_check", request));
      return JSON.parse(answer());
    },

    // Returns a run at its beginning; throws an error with `errors` if the scenario is wrong.
    begin(request) {
      if (!must(ask("lab_begin", request))) {
        throw Object.assign(new Error("the scenario has errors"), { errors: JSON.parse(answer()) });
      }
      return {
        step: events => must(call("lab_step", events)), // true if there is more
        progress: () => core.lab_progress(),
        packets: () => core.lab_packets(),
        seriesSince(sample) { call("lab_series_since", sample); return JSON.parse(answer()); },
        finish() { call("lab_finish"); return answer(); }, // the result as JSON, as the core wrote it
        cancel: () => call("lab_cancel"),
      };
    },
  };
}
