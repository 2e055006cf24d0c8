import t from "tap";
import { readServeOptions } from "../../../../src/cli/options/read_serve_options.ts";

t.test("options of the MCP server are read in one way for both of its entries", (t) => {
  t.match(readServeOptions({}), { tools: "dynamic", structured: false, allowSend: false });
  t.same(Object.keys(readServeOptions({})).sort(), ["allowSend", "structured", "tools", "toolsets"]);
  t.match(readServeOptions({ tools: "static", structured: true, record: "r.jsonl", allowSend: true }), {
    tools: "static",
    structured: true,
    recordFile: "r.jsonl",
    allowSend: true,
  });
  t.same([...readServeOptions({ toolset: "core,testing" }).toolsets!], ["core", "testing"]);
  t.end();
});

t.test("all wrong options of the MCP server are reported together", (t) => {
  const read = () => readServeOptions({ tools: "some", stately: "ws://elsewhere.example" });
  t.throws(read, { code: "INVALID_INPUT", context: { problems: { length: 2 } } });
  t.throws(() => readServeOptions({ toolset: "nonsense" }), { code: "INVALID_INPUT" });
  t.end();
});
