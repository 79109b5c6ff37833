// Several engines for many runs.
//
//   const pool = await Pool.start(wasm, {workers = as many as the machine has cores to spare, at most 4})
//   await pool.run(jobs, {onResult, onProgress}) -> outcomes
//     jobs: [{toml, seed, overrides, series = false}], as Engine.run takes them.
//     outcomes: for each job what Engine.run gives, or {error} for one that could not be done.
//     onResult(index, outcome) as they finish; onProgress(fraction of all the work).
//     Rejects with Cancelled when it was cancelled.
//   pool.cancel(), pool.stop()
