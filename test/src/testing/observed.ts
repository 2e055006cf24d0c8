/** Builders of observed facts for tests. */
import type { CallOutcome } from "../../../machines/model/plugin.ts";
import type { TestCase } from "../../../machines/model/test_case.ts";
import type { JudgedObservation } from "../../../src/testing/judge/failing_verdict.ts";

export const answered = (text: string, more: Partial<CallOutcome> = {}): CallOutcome => ({
  kind: "result",
  raw: { content: [{ type: "text", text }] },
  text,
  isError: false,
  content: [{ type: "text", text }],
  violations: [],
  durationMs: 1,
  ...more,
});

export const refused = (text: string): CallOutcome => answered(text, { isError: true });

export const rpcError = (text: string, code = -32602): CallOutcome => ({
  kind: "rpc_error",
  raw: { code, message: text },
  text,
  isError: true,
  code,
  violations: [],
  durationMs: 1,
});

export const testOf = (more: Partial<TestCase>): TestCase => ({
  id: "t",
  name: "t",
  tier: 1,
  tool: "echo",
  input: { message: "hi" },
  expect: {},
  verify: [],
  setup: [],
  teardown: [],
  tags: [],
  generatedFrom: "manual",
  ...more,
});

export const observed = (more: Partial<JudgedObservation>): JudgedObservation => ({
  tool: { name: "echo", inputSchema: { type: "object" } },
  commands: [],
  strayOutput: [],
  ...more,
});
