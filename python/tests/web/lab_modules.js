// The page's modules that need no page, for tests to call.
import { coloursOf } from "../../ackclock/web/lab/colours.js";
import { layout } from "../../ackclock/web/lab/layout.js";
import { summary, tQuantile } from "../../ackclock/web/lab/statistics.js";
import { asCsv } from "../../ackclock/web/lab/exports.js";
import { append, cut, put } from "../../ackclock/web/lab/edit.js";
import { pathOf } from "../../ackclock/web/lab/elements.js";
import { fieldsOf } from "../../ackclock/web/lab/fields.js";
import { format, parse, scale } from "../../ackclock/web/lab/quantity.js";
import { packed, unpackedLink } from "../../ackclock/web/lab/share.js";
import { linearTicks, logTicks } from "../../ackclock/web/lab/ticks.js";
import { at, plain, read } from "../../ackclock/web/lab/toml.js";

globalThis.modules = { append, asCsv, at, coloursOf, cut, fieldsOf, format, layout, linearTicks, logTicks, packed, parse, pathOf, plain, put, read, scale, summary, tQuantile, unpackedLink };
