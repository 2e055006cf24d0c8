import { join } from "node:path";
import t from "tap";
import { makeTempDir, removeIfExists, writeTextFile } from "../../../src/platform/files.ts";
import { pthCommandLine } from "../../support/bundled_pth.ts";
import { connectMcpClient } from "../../support/mcp_client.ts";

t.test("a failed test is run again with its calls traced, and debug_query answers them", async (t) => {
  const root = await makeTempDir();
  t.teardown(() => removeIfExists(root));
  await writeTextFile(
    join(root, "package.json"),
    JSON.stringify({ type: "module", scripts: { test: "node --test" } }),
  );
  await writeTextFile(
    join(root, "parser.js"),
    "export const parse = (text) => text === '' ? null : { kind: text };\n",
  );
  await writeTextFile(
    join(root, "parser.test.js"),
    'import test from "node:test"; import assert from "node:assert"; import { parse } from "./parser.js";\n' +
      'test("kinds", () => assert.equal(parse("a").kind, "a"));\ntest("empty", () => assert.ok(parse("")));\n',
  );
  const { call } = await connectMcpClient(t, { server: pthCommandLine("main", "--tools", "test") });
  const first = await call("debug_test", { projectRoot: root });
  const { failures } = JSON.parse(first.text);
  t.match(failures, [{ name: "empty" }]);
  const again = await call("debug_test", {
    projectRoot: root,
    test: "empty",
    tracePatterns: ["parser.parse"],
  });
  const { sessionId, summary } = JSON.parse(again.text);
  t.match(summary, { passed: 0, failed: 1 });
  const calls = await call("debug_query", { sessionId, function: { contains: "parse" }, verbose: true });
  t.match(calls.text, /^1 parser\.parse\(text=""\) → null .*from parser\.test\.js:3$/);
  const none = await call("debug_query", { sessionId: "../../etc/passwd" });
  t.match(none.text, /Cannot query the trace/);
});
