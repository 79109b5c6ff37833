// What the tests of the engine talk to.
import { given, unpacked } from "../../ackclock/web/engine/embedded.js";
import { Cancelled, Engine, RunFailed, WrongScenario } from "../../ackclock/web/engine/engine.js";
import { Growing } from "../../ackclock/web/engine/growing.js";
import { indexOf } from "../../ackclock/web/engine/places.js";
import { Pool } from "../../ackclock/web/engine/pool.js";

async function begin() {
  const module = await WebAssembly.compile(await unpacked("module"));
  const engine = await Engine.start(module);
  const given_ = given("given");
  globalThis.lab = { engine, module, given: given_, Cancelled, Engine, RunFailed, WrongScenario, Growing, indexOf, Pool };
}

begin().catch(error => { globalThis.failed = error.stack; });
