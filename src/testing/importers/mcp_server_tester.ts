/** Files of mcp-server-tester: `tools` with calls, `evals` (formerly `evaluations`) with prompts. */
import type { TestStep } from "../../../machines/model/test_case.ts";
import { isObject } from "../../core/values.ts";
import { callStep, defineImporter, type Importing } from "../importer.ts";
import type { Path } from "../../core/read_source.ts";

const toolKeys = ["expected_tool_list", "expect_tools", "tests"];
const evalKeys = ["models", "timeout", "max_steps", "tests"];

export default defineImporter({
  name: "mcp-server-tester",
  summary: "YAML with tools.tests (tool, params, expect) and evals.tests (prompt)",
  recognizes: (document) =>
    isObject(document) &&
    ([document.tools, document.evals, document.evaluations].some((part) =>
      isObject(part) && Array.isArray(part.tests)
    ) ||
      (Array.isArray(document.tests) && document.tests.some((test) =>
        isObject(test) && ("calls" in test || ("params" in test && "tool" in test))
      ))),
  read(importing) {
    const { value } = importing;
    if (isObject(value) && Array.isArray(value.tests)) return readTools(importing, value, []);
    const file = importing.map(value, [], ["tools", "evals", "evaluations"]);
    if (file?.tools !== undefined) readTools(importing, file.tools, ["tools"]);
    for (const key of ["evals", "evaluations"]) {
      if (file?.[key] !== undefined) readEvals(importing, file[key], [key]);
    }
  },
});

function readTools(importing: Importing, value: unknown, path: Path): void {
  const tools = importing.map(value, path, toolKeys);
  for (const key of ["expected_tool_list", "expect_tools"]) {
    if (tools?.[key] !== undefined) {
      importing.lose([...path, key], "keep the list of tools as a contract");
    }
  }
  for (const [test, at] of importing.list(tools?.tests, [...path, "tests"])) {
    readToolTest(importing, test, at);
  }
}

function readToolTest(importing: Importing, value: unknown, path: Path): void {
  const severalCalls = isObject(value) && "calls" in value;
  const test = importing.map(
    value,
    path,
    severalCalls ? ["name", "calls"] : ["name", "tool", "params", "expect"],
  );
  const name = test && importing.text(test.name, [...path, "name"]);
  if (test === undefined || name === undefined) return;
  if (!severalCalls) {
    const call = readCall(importing, test, path);
    if (call?.action.kind !== "call") return;
    const { action: { tool, input }, expect } = call;
    return importing.add({ name, tier: 1, tool, input, expect }, path);
  }
  const calls = importing.list(test.calls, [...path, "calls"]).map(([each, at]) => {
    const call = importing.map(each, at, ["tool", "params", "expect"]);
    return call && readCall(importing, call, at);
  });
  // A scenario that lacks a call is another scenario.
  if (calls.every((call) => call !== undefined) && calls.length > 0) {
    importing.add({ name, tier: 2, steps: calls }, path);
  }
}

function readCall(importing: Importing, call: Record<string, unknown>, path: Path): TestStep | undefined {
  const tool = importing.text(call.tool, [...path, "tool"]);
  const input = call.params ?? {};
  if (!isObject(input)) importing.wrong([...path, "params"], "expected a map");
  const expect = readExpect(importing, call.expect, [...path, "expect"]);
  return tool === undefined || !isObject(input) || expect === undefined
    ? undefined
    : callStep(tool, input, expect);
}

function readExpect(importing: Importing, value: unknown, path: Path): Record<string, unknown> | undefined {
  const expect = importing.map(value, path, ["success", "result", "error"]);
  if (expect === undefined) return undefined;
  if (typeof expect.success !== "boolean") {
    importing.wrong([...path, "success"], "expected true or false");
    return undefined;
  }
  const read: Record<string, unknown> = { success: expect.success };
  if (expect.result !== undefined) {
    const at = [...path, "result"];
    const result = importing.map(expect.result, at, ["contains", "equals", "schema"]) ?? {};
    if (result.contains !== undefined) read.output_contains = result.contains;
    if (result.equals !== undefined) {
      read[typeof result.equals === "string" ? "output_equals" : "output_json"] = result.equals;
    }
    if (result.schema !== undefined) {
      importing.lose(
        [...path, "result", "schema"],
        "no assertion compares an answer with a schema of the test's own",
      );
    }
  }
  if (expect.error !== undefined) {
    const error = importing.map(expect.error, [...path, "error"], ["contains"]) ?? {};
    if (error.contains !== undefined) read.error_contains = error.contains;
  }
  return read;
}

function readEvals(importing: Importing, value: unknown, path: Path): void {
  const evals = importing.map(value, path, evalKeys);
  for (const key of ["models", "max_steps"]) {
    if (evals?.[key] !== undefined) importing.lose([...path, key], "the driver of the prompt chooses");
  }
  const timeout = typeof evals?.timeout === "number" ? { timeoutSeconds: evals.timeout / 1000 } : {};
  for (const [each, at] of importing.list(evals?.tests, [...path, "tests"])) {
    const test = importing.map(each, at, ["name", "prompt", "expected_tool_calls", "response_scorers"]);
    const name = test && importing.text(test.name, [...at, "name"]);
    const prompt = test && importing.text(test.prompt, [...at, "prompt"]);
    if (test === undefined || name === undefined || prompt === undefined) continue;
    const checklist = [
      ...expectedCalls(importing, test.expected_tool_calls, [...at, "expected_tool_calls"]),
      ...scorers(importing, test.response_scorers, [...at, "response_scorers"]),
    ];
    importing.add({
      name,
      tier: 3,
      prompt,
      checklist: checklist.length === 0 ? [done] : checklist,
      ...timeout,
    }, at);
  }
}

const done = "The task of the prompt is done";

function expectedCalls(importing: Importing, value: unknown, path: Path): string[] {
  if (value === undefined) return [];
  const { required = [], allowed } = importing.map(value, path, ["required", "allowed"]) ?? {};
  const names = (list: unknown, key: string) =>
    importing.list(list, [...path, key]).map(([name]) => String(name));
  return [
    ...names(required, "required").map((tool) => `The tool ${tool} was called`),
    ...(allowed === undefined
      ? []
      : [`No other tools were called than ${names(allowed, "allowed").join(", ")}`]),
  ];
}

function scorers(importing: Importing, value: unknown, path: Path): string[] {
  if (value === undefined) return [];
  return importing.list(value, path).flatMap(([each, at]) => {
    const scorer = importing.map(each, at, ["type", "pattern", "schema", "criteria", "threshold"]);
    if (scorer?.threshold !== undefined) {
      importing.lose([...at, "threshold"], "an item of a checklist holds or does not");
    }
    if (scorer?.type === "llm-judge") return [String(scorer.criteria)];
    if (scorer?.type === "regex") return [`The final answer matches the pattern ${String(scorer.pattern)}`];
    importing.lose(at, "no counterpart for a scorer of this type");
    return [];
  });
}
