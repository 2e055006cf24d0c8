import t from "tap";
import { realPlace } from "../../../../src/testing/generate/excluded_tools.ts";
import { applies, type Input, runOn, silent, text, tool } from "./function_server.ts";

const runner = (more: Input = {}) => [
  tool("run_code", {
    code: { type: "string", description: "Python to run" },
    timeout: { type: "integer", description: "Limit in seconds", ...more },
  }),
];

t.test("a tool that never comes back from endless code fails, one that does passes", async (t) => {
  const seen: Input[] = [];
  const hangs = await runOn("ends_endless_code", {
    tools: runner(),
    answer: (
      _name,
      input,
    ) => (seen.push(input), String(input.code).startsWith("while") ? Promise.reject(silent()) : "1"),
  });
  t.match(hangs, {
    status: "failed",
    category: "timeout",
    message: /run_code was given 1 s for code that never ends/,
  });
  t.match(seen, [{ code: "print(1)", timeout: 1 }, { code: "while True:\n    pass", timeout: 1 }]);
  const ends = { tools: runner(), answer: () => "it was ended" };
  t.match(await runOn("ends_endless_code", ends), { status: "passed" });
  t.match(await runOn("ends_endless_code", { ...ends, isolated: false }), { status: "skipped" });
});

t.test("it applies to tools that run code in a known language for a short time, in isolated environments", (t) => {
  const name = "ends_endless_code";
  t.ok(applies(name, runner()));
  t.notOk(applies(name, runner(), realPlace));
  t.notOk(applies(name, runner({ minimum: 60 })), "its shortest limit is too long to wait for");
  t.notOk(applies(name, [tool("run_code", { code: text })]), "it takes no limit");
  t.notOk(applies(name, [tool("format", { code: text, timeout: { type: "integer" } })]), "no language");
  t.end();
});
