import t from "tap";
import type { Schema } from "../../../../src/testing/json_schema/schema.ts";
import { statedDefault } from "../../../../src/testing/json_schema/stated_default.ts";

const integer = (description: string): Schema => ({ type: "integer", description });
const choice = (description: string): Schema => ({ type: "string", enum: ["asc", "desc"], description });

const rows: [part: Schema, stated: unknown][] = [
  [integer("Most items (default 10)"), 10],
  [integer("Most items, default: 10, at most 100"), 10],
  [integer("Most items. Defaults to -1."), -1],
  [integer("Default value is `25`"), 25],
  [{ type: "number", description: "Share, default = 0.5" }, 0.5],
  [{ type: "boolean", description: "Hidden files too (default false)" }, false],
  [choice('Order, default "desc"'), "desc"],
  [integer("Time to wait, default 10 seconds"), undefined],
  [integer("Time to wait, default 10s"), undefined],
  [integer("Room, default 10 MB"), undefined],
  [integer("Share, default 10%"), undefined],
  [integer("Version, default 1.2.3"), undefined],
  [integer("Most items, default 1,000"), undefined],
  [integer("By default all; the default limit is 10 by default"), undefined],
  [integer("Default: 10 for lists, default 20 for trees"), undefined],
  [integer("The default is the window's width"), undefined],
  [choice("Default is what the server has"), undefined],
  [{ type: "string", description: "Name, default example" }, undefined],
  [{ type: "integer" }, undefined],
];

for (const [part, stated] of rows) {
  t.test(`"${part.description}" states ${stated === undefined ? "no default" : stated}`, (t) => {
    t.equal(statedDefault(part, {}), stated);
    t.end();
  });
}
