/** Files of mcp-autotest, `*_test.yaml`: documents of a case with messages in (`in…`) and out (`out…`). */
import type { TestStep } from "../../../machines/model/test_case.ts";
import { isObject } from "../../core/values.ts";
import { callStep, defineImporter, type Importing } from "../importer.ts";
import type { Path } from "../../core/read_source.ts";
import { TaggedText } from "../format/tagged_text.ts";
import {
  expectError,
  expectResult,
  literally,
  type PatternLanguage,
  type TextPattern,
} from "./expect_result.ts";

export default defineImporter({
  name: "mcp-autotest",
  summary: "*_test.yaml: a case in each document, with JSON-RPC messages in and out",
  recognizes: (document) =>
    isObject(document) && "case" in document && Object.keys(document).some((key) => isIn(key)),
  read(importing) {
    const { value } = importing;
    const keys = isObject(value) ? Object.keys(value).filter((key) => isIn(key) || isOut(key)) : [];
    const test = importing.map(value, [], ["case", ...keys]);
    const name = test && importing.text(test.case, ["case"]);
    if (test === undefined || name === undefined) return;
    const steps = keys.filter(isIn).map((key) => readExchange(importing, test, key, keys.filter(isOut)));
    // A scenario without one of its calls would be another scenario; the missing call is reported.
    const calls = steps.filter((step) => step !== "not needed");
    if (calls.length === 0 || calls.some((step) => step === "no counterpart")) return;
    const [first, ...more] = calls as TestStep[];
    if (more.length === 0 && first!.action.kind === "call") {
      const { action: { tool, input }, expect } = first! as TestStep & {
        action: { tool: string; input: Record<string, unknown> };
      };
      importing.add({ name, tier: 1, tool, input, expect }, []);
    } else importing.add({ name, tier: 2, steps: [first!, ...more] }, []);
  },
});

const isIn = (key: string): boolean => /^in/.test(key);
const isOut = (key: string): boolean => /^out/.test(key);

/** One message in, and the message out with the same id. */
function readExchange(
  importing: Importing,
  test: Record<string, unknown>,
  key: string,
  outs: readonly string[],
): TestStep | "not needed" | "no counterpart" {
  const message = importing.map(test[key], [key], ["jsonrpc", "id", "method", "params"]);
  if (message === undefined) return "no counterpart";
  const { method, id } = message;
  const params = isObject(message.params) ? message.params : {};
  if (method === "initialize" || method === "notifications/initialized") {
    importing.lose([key], "pth shakes hands by itself, and asserts nothing of it");
    return "not needed";
  }
  const action = actionOf(method, params);
  if (action === undefined) {
    importing.lose([key], `the case is left out: no test sends ${String(method)}`);
    return "no counterpart";
  }
  const answer = outs.find((out) => isObject(test[out]) && (test[out] as Record<string, unknown>).id === id);
  const expect = answer === undefined ? {} : readAnswer(importing, test[answer], [answer]);
  return action.kind === "call"
    ? callStep(action.tool, action.input, expect)
    : { action, expect, capture: {}, verify: [] };
}

function actionOf(method: unknown, params: Record<string, unknown>): TestStep["action"] | undefined {
  const given = isObject(params.arguments) ? params.arguments : {};
  if (method === "tools/call" && typeof params.name === "string") {
    return { kind: "call", tool: params.name, input: given };
  }
  if (method === "resources/read") return { kind: "read_resource", uri: String(params.uri) };
  if (method === "prompts/get") {
    return { kind: "get_prompt", prompt: String(params.name), arguments: given as Record<string, string> };
  }
  return undefined;
}

function readAnswer(importing: Importing, value: unknown, path: Path): Record<string, unknown> {
  const answer = importing.map(value, path, ["jsonrpc", "id", "result", "error"]) ?? {};
  if (isObject(answer.error)) return expectError(importing, answer.error, [...path, "error"], patterns);
  if (isObject(answer.result)) return expectResult(importing, answer.result, [...path, "result"], patterns);
  return {};
}

const patterns: PatternLanguage = {
  text: readPattern,
  hasPatterns: (value): boolean =>
    value instanceof TaggedText ||
    (typeof value === "object" && value !== null && Object.values(value).some(patterns.hasPatterns)),
};

/** `!!re` is a regular expression, `!!ere` a text with some between slashes. */
function readPattern(value: unknown): TextPattern {
  if (typeof value === "string") return { key: "equals", value };
  if (!(value instanceof TaggedText)) return { lost: "only texts can be compared" };
  if (value.tag === "re") return { key: "matches", value: value.text };
  const parts = value.text.split("/").map((part, index) => index % 2 === 0 ? literally(part) : part);
  return { key: "matches", value: `^${parts.join("")}$` };
}
