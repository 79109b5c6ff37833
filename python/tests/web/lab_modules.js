// The page's modules that need no page, for tests to call.
import { append, cut, put } from "../../ackclock/web/lab/edit.js";
import { pathOf } from "../../ackclock/web/lab/elements.js";
import { fieldsOf } from "../../ackclock/web/lab/fields.js";
import { format, parse, scale } from "../../ackclock/web/lab/quantity.js";
import { packed, unpackedLink } from "../../ackclock/web/lab/share.js";
import { linearTicks, logTicks } from "../../ackclock/web/lab/ticks.js";
import { at, plain, read } from "../../ackclock/web/lab/toml.js";

globalThis.modules = { append, at, cut, fieldsOf, format, linearTicks, logTicks, packed, parse, pathOf, plain, put, read, scale, unpackedLink };
