// Shows the registry's text on a control, a discipline, a transport and so on, and on each parameter.

import { make } from "./dom.js";

const UNITS = { "true or false": "", word: "", packets: "in packets", "queue limit": "" };

export function entryAbout(entry) {
  return make(
    "p",
    { class: "about" },
    `${entry.summary}. `,
    make("span", { class: "muted" }, `Source: ${entry.source}.`),
  );
}

export function parameterAbout(parameter) {
  const facts = [
    UNITS[parameter.unit] ?? `a ${parameter.unit}`,
    parameter.range,
    parameter.default === null || parameter.default === undefined ? "no default" : `default ${parameter.default}`,
    parameter.source,
  ];
  const told = `${facts.filter(Boolean).join("; ")}.`;
  return make(
    "p",
    { class: "help" },
    `${parameter.summary}. `,
    make("span", { class: "muted" }, told[0].toUpperCase() + told.slice(1)),
  );
}
