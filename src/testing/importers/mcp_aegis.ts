/** Files of MCP Aegis (formerly MCP Conductor), `*.test.mcp.yml`: a request, and the response with `match:` patterns. */
import type { TestStep } from "../../../machines/model/test_case.ts";
import { isObject } from "../../core/values.ts";
import { defineImporter, type Importing } from "../importer.ts";
import type { Path } from "../../core/read_source.ts";
import {
  expectError,
  expectResult,
  literally,
  type PatternLanguage,
  type TextPattern,
} from "./expect_result.ts";

export default defineImporter({
  name: "mcp-aegis",
  summary: "*.test.mcp.yml: request, and response with match: patterns (also of MCP Conductor)",
  recognizes: (document) =>
    isObject(document) && Array.isArray(document.tests) &&
    document.tests.some((test) => isObject(test) && "it" in test && "request" in test),
  read(importing) {
    const file = importing.map(importing.value, [], ["description", "tests"]);
    for (const [test, path] of importing.list(file?.tests, ["tests"])) readTest(importing, test, path);
  },
});

function readTest(importing: Importing, value: unknown, path: Path): void {
  const test = importing.map(value, path, ["it", "request", "expect"]);
  const name = test && importing.text(test.it, [...path, "it"]);
  const request = test &&
    importing.map(test.request, [...path, "request"], ["jsonrpc", "id", "method", "params"]);
  if (name === undefined || request === undefined) return;
  const params = isObject(request.params) ? request.params : {};
  const input = isObject(params.arguments) ? params.arguments : {};
  const at = [...path, "request", "method"];
  const expected = () => readExpect(importing, test!.expect, [...path, "expect"]);
  const step = (action: TestStep["action"]): void =>
    importing.add({ name, tier: 2, steps: [{ action, expect: expected(), capture: {}, verify: [] }] }, path);
  switch (request.method) {
    case "tools/call": {
      const tool = importing.text(params.name, [...path, "request", "params", "name"]);
      if (tool !== undefined) importing.add({ name, tier: 1, tool, input, expect: expected() }, path);
      return;
    }
    case "resources/read":
      return step({ kind: "read_resource", uri: String(params.uri) });
    case "prompts/get":
      return step({
        kind: "get_prompt",
        prompt: String(params.name),
        arguments: input as Record<string, string>,
      });
    case "tools/list":
      return importing.lose(at, "the test is left out: keep the list of tools as a contract");
    default:
      importing.lose(at, `the test is left out: no test sends ${String(request.method)}`);
  }
}

function readExpect(importing: Importing, value: unknown, path: Path): Record<string, unknown> {
  const expect = importing.map(value, path, ["response", "stderr", "performance"]) ?? {};
  if (expect.stderr !== undefined) importing.lose([...path, "stderr"], "no assertion on what a server logs");
  if (expect.performance !== undefined) {
    importing.lose([...path, "performance"], "measure response times with a performance suite");
  }
  const at = [...path, "response"];
  const response = importing.map(expect.response, at, ["jsonrpc", "id", "result", "error"]) ?? {};
  if (isObject(response.error)) return expectError(importing, response.error, [...at, "error"], patterns);
  const partial = isObject(response.result) && isObject(response.result["match:partial"]);
  const result = partial ? (response.result as Record<string, unknown>)["match:partial"] : response.result;
  if (isObject(result)) {
    return expectResult(
      importing,
      result,
      [...at, "result", ...(partial ? ["match:partial"] : [])],
      patterns,
    );
  }
  if (result !== undefined) importing.lose([...at, "result"], "no assertion for an answer as a whole");
  return {};
}

const patterns: PatternLanguage = {
  text: (value) => typeof value === "string" ? readPattern(value) : { lost: "only texts can be compared" },
  hasPatterns: (value) => JSON.stringify(value).includes('"match:'),
};

const kinds: Record<string, (rest: string) => TextPattern> = {
  contains: (value) => ({ key: "contains", value }),
  containsIgnoreCase: (value) => ({ key: "contains_i", value }),
  equalsIgnoreCase: (value) => ({ key: "equals_i", value }),
  equals: (value) => ({ key: "equals", value }),
  startsWith: (text) => ({ key: "matches", value: `^${literally(text)}` }),
  endsWith: (text) => ({ key: "matches", value: `${literally(text)}$` }),
  regex: (value) => ({ key: "matches", value }),
  stringEmpty: () => ({ key: "equals", value: "" }),
  stringNotEmpty: () => ({ key: "matches", value: "[\\s\\S]" }),
  "not:contains": (text) => ({ key: "matches", value: `^(?![\\s\\S]*${literally(text)})` }),
};

function readPattern(text: string): TextPattern {
  if (!text.startsWith("match:")) return { key: "equals", value: text };
  const rest = text.slice("match:".length);
  const kind = Object.keys(kinds).find((name) => rest === name || rest.startsWith(`${name}:`));
  if (kind !== undefined) return kinds[kind]!(rest.slice(kind.length + 1));
  return {
    lost: rest === "type:string"
      ? "any text is fine, so nothing is asserted"
      : `no assertion for match:${rest.split(":")[0]}`,
  };
}
