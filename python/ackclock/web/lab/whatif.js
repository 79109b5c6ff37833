// Varies one number of the scenario over a range: draws goodput, round trip and loss of each group of flows, and the utilisation of
// links, over it.

import { Cancelled } from "../engine/engine.js";
import { Pool } from "../engine/pool.js";
import { coloursOf } from "./colours.js";
import { byId, enlargement, later, make, say } from "./dom.js";
import { literal } from "./edit.js";
import { legendOf, queueingLinks, svg } from "./figures.js";
import { headroom, panel } from "./panel.js";
import { MOST_PACKETS } from "./runner.js";
import { format, parse } from "./quantity.js";
import { at, read } from "./toml.js";

const MOST_STEPS = 40;
const FIELDS = ["whatif-from", "whatif-to", "whatif-steps"];
const EXPECTED = { number: "a number", time: "a time", rate: "a rate", size: "a size", packets: "a number of packets", bdp: "a bandwidth-delay product" };
const EARLIER = "The curve belongs to an earlier version of the scenario text.";
const SKIPPED = new Set(["seed", "replications"]);

// Returns every number and quantity of the text: {path, label, value, kind, from, to}.
export function numbersOf(root, groups) {
  const found = [];
  const walk = (node, path) => {
    if (node.type === "table") for (const [key, entry] of node.entries) walk(entry.node, [...path, key]);
    else if (node.type === "array") node.items.forEach((item, index) => walk(item, [...path, index]));
    else {
      const quantity = parse(node.value);
      if (!quantity || path[0] === "sweep" || path[0] === "files" || SKIPPED.has(path[0])) return;
      const label = path
        .map((step, place) =>
          path[0] === "flows" && place === 1 ? (groups[step] ?? step + 1) : typeof step === "number" ? step + 1 : step,
        )
        .join(" ");
      found.push({ path, label, ...quantity });
    }
  };
  walk(root, []);
  return found;
}

// Returns the values to run: evenly spaced, or in equal ratios if they span more than a decade.
export function stepsOf(low, high, count, whole) {
  const ratio = low > 0 && high / low > 10;
  const all = Array.from({ length: count }, (_, k) => {
    const share = count === 1 ? 0 : k / (count - 1);
    const value = ratio ? low * (high / low) ** share : low + share * (high - low);
    return whole ? Math.round(value) : value;
  });
  return { values: [...new Set(all)], ratio };
}

export class WhatIf {
  #module;
  #pool = null;
  #now = null; // {text, root, meaning} of the scenario's text; null while it is not checked, or is wrong
  #redraw = null; // draws the present curve
  #of = null; // the text that the curve is of
  #isRefused = false; // whether the text is wrong

  constructor(module) {
    this.#module = module;
    byId("whatif-number").addEventListener("change", () => this.#suggest());
    byId("whatif-run").addEventListener("click", () => this.#run());
    byId("whatif-cancel").addEventListener("click", () => this.#pool?.cancel());
    new ResizeObserver(later(50, () => this.#redraw?.())).observe(byId("whatif-figure").parentElement);
  }

  // Called when the text has changed, which has not been checked yet: nothing is run of the one before.
  changed(text) {
    if (text === this.#now?.text) return;
    this.#pool?.cancel();
    this.#now = null;
    byId("whatif-run").disabled = true;
    if (this.#of !== null && text !== this.#of) this.#said(EARLIER);
  }

  // Called when the text is wrong.
  refuse() {
    byId("whatif-run").disabled = true;
    this.#isRefused = true;
    this.#said("The scenario text has an error; nothing runs until it is corrected.");
  }

  // Takes the present scenario, which is right.
  show(text, root, meaning) {
    this.#now = { text, root, meaning };
    byId("whatif-run").disabled = false;
    if (this.#isRefused) this.#said(this.#of === null || this.#of === text ? "" : EARLIER);
    this.#isRefused = false;
    const select = byId("whatif-number");
    const chosen = select.value;
    const numbers = numbersOf(
      root,
      meaning.flows.map((flow) => flow.group),
    );
    const same =
      [...select.options].map((option) => option.textContent).join() === numbers.map((one) => one.label).join();
    if (same) return;
    select.replaceChildren(...numbers.map((one) => make("option", { value: one.path.join(".") }, one.label)));
    const kept = numbers.some((one) => one.path.join(".") === chosen);
    if (kept) select.value = chosen;
    else {
      select.value = (numbers.find((one) => one.path.includes("limit")) ?? numbers[0])?.path.join(".") ?? "";
      this.#suggest();
    }
  }

  draw() {
    this.#redraw?.();
  }

  #chosen() {
    const groups = this.#now.meaning.flows.map((flow) => flow.group);
    return numbersOf(this.#now.root, groups).find((one) => one.path.join(".") === byId("whatif-number").value);
  }

  #suggest() {
    const number = this.#now && this.#chosen();
    if (!number) return;
    const range = number.value > 0 ? [number.value / 4, number.value * 4] : [0, number.kind === "time" ? 1 : 10];
    [byId("whatif-from").value, byId("whatif-to").value] = range.map((value) => format(value, number.kind));
  }

  // Returns the two ends and the number of steps, or null, with a message at the field that is wrong.
  #asked(number) {
    for (const id of FIELDS) byId(id).setAttribute("aria-invalid", "false");
    const bounds = ["whatif-from", "whatif-to"].map((id) => {
      const text = byId(id).value.trim();
      return parse(number.kind === "number" && text !== "" ? Number(text) : text);
    });
    const isOf = (one) => one && one.kind === number.kind && Number.isFinite(one.value);
    const steps = byId("whatif-steps");
    const count = Number(steps.value);
    const expected = `expected ${EXPECTED[number.kind]} such as ${format(number.value, number.kind)}`;
    const found = (id) => (byId(id).value.trim() === "" ? "nothing" : byId(id).value);
    const wrong = [
      ...["whatif-from", "whatif-to"].filter((_, at) => !isOf(bounds[at])).map((id) => [id, `found ${found(id)}, ${expected}.`]),
      ...(bounds.every(isOf) && bounds[0].value === bounds[1].value ? [["whatif-to", 'expected a value that differs from "from".']] : []),
      ...(Number.isInteger(count) && count >= 2 && count <= MOST_STEPS ? [] : [["whatif-steps", `found ${found("whatif-steps")}, expected a whole number from 2 to ${MOST_STEPS}.`]]),
    ];
    if (!wrong.length) return { bounds, count };
    for (const [id] of wrong) byId(id).setAttribute("aria-invalid", "true");
    byId(wrong[0][0]).focus();
    this.#said(wrong.map(([id, what]) => `${byId(id).labels[0].textContent}: ${what}`).join(" "), "wrong");
    return null;
  }

  async #run() {
    if (!this.#now) return;
    const { text, meaning } = this.#now;
    const number = this.#chosen();
    const asked = this.#asked(number);
    if (!asked) return;
    const { bounds, count } = asked;
    const whole =
      number.kind === "packets" ||
      (number.kind === "number" &&
        Number.isInteger(number.value) &&
        bounds.every((one) => Number.isInteger(one.value)));
    const { values, ratio } = stepsOf(bounds[0].value, bounds[1].value, count, whole);
    if (meaning.expected_packets * values.length > 4 * MOST_PACKETS) {
      this.#said("This many runs of the scenario would take too long; shorten its duration or try fewer values.");
      return;
    }
    const written = values.map((value) => format(value, number.kind, 6));
    const node = at(read(text), number.path);
    const jobs = written.map((value) => ({ toml: text.slice(0, node.from) + literal(value) + text.slice(node.to) }));
    const runs = new Array(jobs.length).fill(null);
    const draw = () => this.#draw(number, values, runs, ratio, meaning);
    this.#redraw = draw;
    this.#of = text;
    byId("whatif-cancel").disabled = false;
    try {
      this.#pool ??= await Pool.start(this.#module);
      await this.#pool.run(jobs, {
        onResult: (index, outcome) => {
          runs[index] = outcome.result ?? null;
          draw();
        },
        onProgress: (fraction) => (byId("whatif-progress").value = fraction),
      });
      const failed = runs.filter((run) => !run).length;
      const done = runs.length - failed;
      this.#said(
        `${done} ${done === 1 ? "run" : "runs"}${failed ? `, ${failed} failed` : ""}: ${number.label} from ${written[0]} to ${written[written.length - 1]}; one seed for each value, also if "Mean of 10 seeds" is ticked.`,
      );
    } catch (error) {
      this.#said(error instanceof Cancelled ? (this.#now?.text === text ? "Cancelled." : "Cancelled: the scenario text has changed.") : error.message);
    }
    byId("whatif-cancel").disabled = true;
  }

  #said(text, kind = "muted") {
    byId("whatif-said").textContent = text;
    byId("whatif-said").className = `${kind} small`;
    say(text);
  }

  #draw(number, values, runs, ratio, meaning) {
    const box = byId("whatif-figure");
    const factor = { time: 1000, rate: 1e-6, size: 1e-3 }[number.kind] ?? 1;
    const unit =
      { time: " (ms)", rate: " (Mbit/s)", size: " (kB)", packets: " (packets)", bdp: " (bdp)" }[number.kind] ?? "";
    const there = values.map((value, at) => ({ x: value * factor, run: runs[at] })).filter((one) => one.run);
    const groups = meaning.flows.map((flow) => flow.group);
    const colours = coloursOf(meaning).groups;
    const mean = (list) => (list.length ? list.reduce((sum, value) => sum + value, 0) / list.length : null);
    const lines = (pick) =>
      groups.map((group, at) => ({
        xs: there.map((one) => one.x),
        ys: there.map(({ run }) =>
          mean(
            run.flows
              .filter((flow) => flow.group === group)
              .map(pick)
              .filter(Number.isFinite),
          ),
        ),
        colour: colours[at],
      }));
    const links = queueingLinks(meaning);
    const used = links.map((name, at) => ({
      xs: there.map((one) => one.x),
      ys: there.map(({ run }) => 100 * (run.links.find((link) => link.name === name)?.utilisation ?? NaN)),
      colour: (at + 4) % 6,
    }));
    // Flows without acknowledgements, such as a call over UDP, have one-way delays instead of RTTs.
    const flowsOf = (group) => there.flatMap(({ run }) => run.flows.filter((flow) => flow.group === group));
    const byUdp = groups.filter(
      (group) => flowsOf(group).some((flow) => Number.isFinite(flow.one_way_delay_mean_s)) && !flowsOf(group).some((flow) => Number.isFinite(flow.rtt_mean_s)),
    );
    const delayOf = (flow) => {
      const delay = byUdp.includes(flow.group) ? flow.one_way_delay_mean_s : flow.rtt_mean_s;
      return Number.isFinite(delay) ? delay * 1000 : null;
    };
    const width = box.clientWidth / enlargement();
    const columns = width > 1000 ? 4 : width > 620 ? 2 : 1;
    const each = Math.floor(width / columns);
    const x = [Math.min(...values) * factor, Math.max(...values) * factor];
    const panels = [
      ["Mean goodput per flow (Mbit/s)", (flow) => flow.goodput_bps / 1e6],
      [`Mean RTT${byUdp.length ? `, one-way delay of ${byUdp.join(", ")}` : ""} (ms)`, delayOf],
      ["Packets lost (%)", (flow) => (flow.sent_packets ? (100 * flow.lost_packets) / flow.sent_packets : null)],
    ].map(([title, pick]) => ({ title, drawn: lines(pick), names: groups }));
    panels.push({ title: `Utilisation of ${links.join(", ")} (%)`, drawn: used, names: links, least: 100 });
    const drawings = panels.map(({ title, drawn, names, least = 0 }) => {
      const most = Math.max(0, ...drawn.flatMap((line) => line.ys).filter(Number.isFinite));
      const points = drawn.flatMap((line, at) =>
        line.xs
          .map((value, k) => ({ x: value, y: line.ys[k], colour: line.colour, title: `${names[at]}: ${line.ys[k]}` }))
          .filter((point) => Number.isFinite(point.y)),
      );
      return panel({
        title,
        x,
        logX: ratio,
        y: [0, least ? Math.max(least, most) : headroom(most)],
        lines: drawn,
        points: points.map((point) => ({ ...point, small: true })),
        width: each,
        height: 190,
        xLabel: number.label + unit,
      });
    });
    const legend = legendOf(
      groups.map((group, at) => ({ label: group, colour: colours[at] })),
      width,
    );
    const place = (at) => `${(at % columns) * each} ${legend.height + Math.floor(at / columns) * 200}`;
    const inside =
      legend.text + drawings.map((text, at) => `<g transform="translate(${place(at)})">${text}</g>`).join("");
    box.innerHTML = svg(
      width,
      legend.height + Math.ceil(drawings.length / columns) * 200,
      inside,
      `Goodput, RTT, loss and utilisation versus ${number.label}`,
    );
  }
}
