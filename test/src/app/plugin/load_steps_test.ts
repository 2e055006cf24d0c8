import t from "tap";
import { compareReloadedTools } from "../../../../src/app/plugin/load_steps.ts";

const tool = (name: string, more: Record<string, unknown> = {}) => ({ name, inputSchema: {}, ...more });

t.test("tools that came, went or say something else are told apart", (t) => {
  const before = [tool("stays"), tool("goes"), tool("renamed", { title: "Old" })];
  const after = [tool("comes"), tool("stays"), tool("renamed", { title: "New" })];
  t.strictSame(compareReloadedTools(before, after), {
    added: ["comes"],
    removed: ["goes"],
    changed: ["renamed"],
    total: 3,
  });
  t.end();
});

t.test("a schema counts, however deep its change; the order of keys does not", (t) => {
  const schema = (type: string) => ({
    properties: { list: { items: { anyOf: [{ type }] } } },
    type: "object",
  });
  const { type, properties } = schema("string");
  const of = (inputSchema: unknown) => [{ name: "a", inputSchema }];
  t.strictSame(compareReloadedTools(of(schema("string")), of({ type, properties })).changed, []);
  t.strictSame(compareReloadedTools(of(schema("string")), of(schema("number"))).changed, ["a"]);
  t.strictSame(compareReloadedTools(of({ required: ["a", "b"] }), of({ required: ["b", "a"] })).changed, [
    "a",
  ]);
  t.end();
});
