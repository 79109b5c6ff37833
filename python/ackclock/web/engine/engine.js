// The simulator for a page. Everything slow happens in a worker, so that the page never waits.
//
//   const engine = await Engine.start(wasm)
//     wasm: the module's bytes (ArrayBuffer or typed array), or a WebAssembly.Module. Engines that are started from one
//     Module share its compiled code. Works from file://, with no network.
//
//   engine.registry(), engine.fields(), engine.schema()
//     At once: what `ackclock list --json`, the fields of results and `ackclock schema` have, parsed.
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
//       warnings: sentences about what is allowed and yet hardly meant.
//       document: the text as JSON, overrides in place; null where the text is no TOML.
//       meaning: null where there are errors, else what the scenario comes to with all defaults filled in:
//         {name, duration_s, warmup_s, seed, replications, expected_packets, warnings,
//          flows: [{group, control, names: [...], paths: [{forward: [index of a link], backward: [...]}]}],
//          links: [{name, from, to, rate_bps, delay_s, queue: {name, values: {parameter: text}} | null,
//                   losses: [name]}],
//          sweep: {axes: [{path, sampled, unit, values, cells}], points: [[index of each axis's value]]}}.
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
//     Ends the worker; what is under way rejects with Cancelled.
//
// For many runs at a time, such as a curve of what-if: see Pool in pool.js.
