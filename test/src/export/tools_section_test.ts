import t from "tap";
import { toolsSection } from "../../../src/export/docs/tools_section.ts";

const example = (input: Record<string, unknown>, output: string) =>
  new Map([["add", { test: "adds", testId: "t", input, output, byHand: true }]]);
const add = {
  name: "add",
  description: "Adds <!-- not the rest -->",
  inputSchema: {
    type: "object",
    required: ["a"],
    properties: {
      a: { type: "integer", description: "First | summand\nof two" },
      kind: { enum: ["x", "y"], default: "x" },
      list: { type: "array", items: { anyOf: [{ type: "string" }, { type: "null" }] } },
      odd: true,
    },
  },
};

t.test("parameters are rows whose texts cannot break the table", (t) => {
  const text = toolsSection([add], new Map(), 3);
  t.match(text, "### `add`\n\nAdds &lt;!-- not the rest -->");
  t.match(text, "| `a` | integer | yes | First \\| summand of two |");
  t.match(text, '| `kind` | `"x"`, `"y"` | no | (default: "x") |');
  t.match(text, "| `list` | array of string or null | no |  |");
  t.notMatch(text, "Example");
  t.end();
});

t.test("an example shows input and answer, fenced whatever they hold and cut where they are long", (t) => {
  const text = toolsSection([add], example({ a: 1 }, "```\nquoted\n```"), 3);
  t.match(text, '```json\n{\n  "a": 1\n}\n```');
  t.match(text, "````\n```\nquoted\n```\n````");
  const long = toolsSection([add], example({ a: 1 }, "line\n".repeat(500)), 3);
  t.match(long, "line\n…\n```");
  t.ok(long.length < 1500);
  t.end();
});

t.test("a schema that is none is no parameters", (t) => {
  t.match(
    toolsSection([{ name: "x", inputSchema: null }], new Map(), 6),
    "###### `x`\n\nTakes no parameters.",
  );
  t.end();
});
