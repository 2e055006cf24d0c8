/** `debug_test` as `pth mcp --tools test` serves it: alone, with the answer as text. */
import t from "tap";
import { debugTest } from "../../../src/tools/debug_test_tool.ts";
import { initializeResult } from "../../../src/server/initialize_result.ts";
import { preparedTestTools } from "../../../src/server/prepared_test_tools.ts";
import { shownTools } from "../../../src/server/prepared_tools.ts";
import { readServeOptions } from "../../../src/cli/options/read_serve_options.ts";

t.test("a server of tests lists its two tools, whatever sets are asked for, and offers nothing else", async (t) => {
  const tools = shownTools(await preparedTestTools(), {
    mode: readServeOptions({ tools: "test" }).tools!,
    toolsets: new Set(["core"]),
    active: false,
    handles: false,
    structured: false,
  });
  t.match(tools, [
    { name: "debug_test", inputSchema: { required: ["projectRoot"] } },
    { name: "debug_query", inputSchema: { required: ["sessionId"] } },
  ]);
  t.equal(tools.length, 2);
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "c", version: "1" } };
  const greeting = initializeResult({ jsonrpc: "2.0", id: 1, method: "initialize", params }, "1", "test");
  t.strictSame((greeting!["result"] as { capabilities: unknown }).capabilities, { tools: {} });
});

t.test("the answer is that of the run, in the names of its fields", async (t) => {
  const answer = {
    framework: "cargo",
    summary: { passed: 1, failed: 0, skipped: 0, duration_ms: 5 },
    failures: [],
  };
  const asked: unknown[] = [];
  const harness = {
    runProjectTests: (run: unknown) => {
      asked.push(run);
      return Promise.resolve(answer);
    },
  };
  const input = { projectRoot: "/p", level: "unit", timeout: 900 };
  const context = { harness, signal: new AbortController().signal, progress: () => {} };
  const { text } = await debugTest.definition.run(input as never, context as never);
  t.strictSame(JSON.parse(text), answer);
  t.strictSame(asked, [{ projectRoot: "/p", level: "unit", timeoutMs: 900 }]);
});
