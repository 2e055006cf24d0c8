import t from "tap";
import type { CallOutcome } from "../../../../machines/model/plugin.ts";
import type { TestCase } from "../../../../machines/model/test_case.ts";
import { markStderr, newUnhandledErrors } from "../../../../src/actors/tests/new_unhandled_errors.ts";
import type { Connection } from "../../../../src/client/connection.ts";

const testOf = (tool: string) => ({ tool, input: {} }) as TestCase;
const outcome = (isError: boolean) => ({ isError }) as CallOutcome;
const report = (name: string) => `Unhandled rejection: Error: ${name}\n`;

/** A connection whose stderr grows, and a test on it: what comes before its call, and within. */
function noisy() {
  let stderr = "";
  const connection = { stderrTail: () => stderr } as Connection;
  return {
    connection,
    async test(tool: string, { before = "", within = "", isError = false } = {}): Promise<string[]> {
      stderr += before;
      await markStderr(connection, tool);
      stderr += within;
      return newUnhandledErrors(connection, testOf(tool), { outcome: outcome(isError) })
        .map(({ tool, message }) => `${tool}: ${message.replace(/^.*rejection: /, "")}`);
    },
  };
}

t.test("an unhandled error is the tool's whose call it came in, or the last one's where it came later", async (t) => {
  const { test } = noisy();
  t.same(await test("quiet", { before: "started\n" }), []);
  t.same(await test("save", { within: report("disk") }), ["save: Error: disk"]);
  t.same(await test("load", { before: report("late"), within: "read 3 lines\n" }), ["save: Error: late"]);
  t.same(await test("load"), [], "each is told once");
});

t.test("an error at the start is no tool's, and that of a call that failed is shown by its test", async (t) => {
  const { test } = noisy();
  t.same(await test("save", { before: report("start") }), ["undefined: Error: start"]);
  t.same(await test("save", { within: report("refused"), isError: true }), []);
});

t.test("a test without a connection, or without a call, has none", (t) => {
  const { connection } = noisy();
  t.same(newUnhandledErrors(undefined, testOf("x"), {}), []);
  t.same(newUnhandledErrors(connection, testOf("x"), {}), []);
  t.end();
});
