// The page: a text, a button, a result.
import { Engine } from "../engine/engine.js";
import { given, unpacked } from "../engine/embedded.js";

const element = id => document.getElementById(id);
const tell = text => { element("outcome").textContent = text; };

async function main() {
  element("scenario").value = given("given").scenario;
  const engine = await Engine.start(await unpacked("module"));
  element("cancel").onclick = () => engine.cancel();
  element("run").onclick = async () => {
    tell("");
    try {
      const onProgress = fraction => { element("progress").value = fraction; };
      const { result, packets, seconds } = await engine.run(element("scenario").value, { onProgress });
      element("progress").value = 1;
      const flows = result.flows.map(({ name, goodput_bps: rate }) => `${name}: ${(rate / 1e6).toFixed(3)} Mbit/s`);
      tell([...flows, `${packets} packets in ${seconds.toFixed(2)} s`].join("\n"));
    } catch (error) {
      tell(error.message);
    }
  };
  // For tests, and for whoever opens the console.
  globalThis.ackclock = { engine };
}

main().catch(error => tell(error.message));
