/** Rules on requests to a model, checked. */
import { isDeepStrictEqual } from "node:util";
import type { RequestRule, ResultRule, TextRule } from "../../../machines/model/playbook.ts";
import { fitsGlob } from "../../../machines/playbook/fits_glob.ts";
import { validatorFor } from "../../client/schema_problems.ts";
import { textExcerpt } from "../../core/text.ts";
import { jsonIn } from "../../core/values.ts";
import { matchOrThrow } from "../../testing/match/bounded_match.ts";
import { valuesAt } from "../../testing/match/values_at.ts";
import { type ModelRequest, promptOf, resultOf, type ToolResult } from "./model_request.ts";

/** Describes each part of a rule that does not hold; none: the rule holds. */
export function ruleViolations(rule: RequestRule, request: ModelRequest): string[] {
  const { tools = [], no_tools = [], lists = [], no_lists = [], result, schema } = rule;
  const texts = {
    model: request.model,
    system: request.system,
    prompt: promptOf(request),
    messages: request.messages.map(({ text }) => text).join("\n"),
  };
  const offered = (glob: string) => request.tools.filter(({ name }) => fitsGlob(glob, name));
  const shown = [texts.system, texts.messages, ...request.tools.map(({ description = "" }) => description)];
  const listed = (name: string) => shown.some((text) => isListed(name, text));
  return [
    ...tools.filter((glob) => offered(glob).length === 0)
      .map((glob) => `no tool ${glob} is offered (${namesOf(request.tools)})`),
    ...no_tools.flatMap((glob) => offered(glob).map(({ name }) => `the tool ${name} is offered`)),
    ...lists.filter((name) => !listed(name)).map((name) => `${name} is not listed`),
    ...no_lists.filter(listed).map((name) => `${name} is listed`),
    ...(["model", "system", "prompt", "messages"] as const)
      .flatMap((key) => rule[key] === undefined ? [] : textViolations(`${key}:`, rule[key], texts[key])),
    ...(result === undefined ? [] : resultViolations(result, request.results)),
    ...(schema === undefined ? [] : schemaViolations(schema, request.body)),
  ];
}

/** Up to ten names; some agents offer a hundred tools. */
function namesOf(tools: ModelRequest["tools"]): string {
  if (tools.length === 0) return "none is";
  const names = tools.slice(0, 10).map(({ name }) => name).join(", ");
  return tools.length > 10 ? `${names} and ${tools.length - 10} more` : names;
}

/** Agents list skills, commands and subagents as "- name: description", one a line, or as `<name>name</name>`. */
const isListed = (name: string, text: string): boolean =>
  text.split("\n").some((line) => {
    const item = line.trimStart();
    return item === `- ${name}` || item.startsWith(`- ${name}: `) || item.startsWith(`- **${name}**`);
  }) || [...text.matchAll(/<name>\s*([^<]*?)\s*<\/name>/g)].some(([, listed]) => listed === name);

const listOf = (value: string | string[] | undefined): string[] =>
  value === undefined ? [] : typeof value === "string" ? [value] : value;

/** @throws {PthError} for a pattern that runs away on the text */
function textViolations(subject: string, rule: TextRule, text: string): string[] {
  const { contains, lacks, glob, regex } = typeof rule === "string" ? { contains: rule } : rule;
  const actual = () => `it is ${textExcerpt(text, 200)}`;
  return [
    ...listOf(contains).filter((part) => !text.includes(part))
      .map((part) => `${subject} does not contain ${textExcerpt(part, 80)}, ${actual()}`),
    ...listOf(lacks).filter((part) => text.includes(part))
      .map((part) => `${subject} contains ${textExcerpt(part, 80)}`),
    ...(glob === undefined || fitsGlob(glob, text) ? [] : [`${subject} does not fit ${glob}, ${actual()}`]),
    ...(regex === undefined || matchOrThrow(regex, "", text)
      ? []
      : [`${subject} does not match /${regex}/, ${actual()}`]),
  ];
}

function resultViolations(rule: ResultRule, results: readonly ToolResult[]): string[] {
  const result = resultOf(rule.tool, results);
  if (result === undefined) return [`no result of ${rule.tool ?? "a tool"} is there`];
  const subject = `result of ${result.tool}`;
  const { is_error, text, path, equals } = rule;
  return [
    ...(is_error === undefined || is_error === result.isError
      ? []
      : result.isError === undefined
      ? [`${subject} may be an error or not, its model API does not tell: ${textExcerpt(result.text, 200)}`]
      : [`${subject} is ${is_error ? "no" : "an"} error: ${textExcerpt(result.text, 200)}`]),
    ...(text === undefined ? [] : textViolations(subject, text, result.text)),
    ...(path === undefined
      ? []
      : pathViolations(subject, path, "equals" in rule ? { equals } : {}, result.text)),
  ];
}

function pathViolations(subject: string, path: string, rule: { equals?: unknown }, text: string): string[] {
  const json = jsonIn(text);
  if (json === undefined) return [`${subject} is no JSON: ${textExcerpt(text, 200)}`];
  const values = valuesAt(path, json);
  if (values.length === 0) return [`${subject} has nothing at ${path}: ${textExcerpt(text, 200)}`];
  if (!("equals" in rule) || isDeepStrictEqual(values[0], rule.equals)) return [];
  return [`${subject} has ${textExcerpt(values[0], 80)} at ${path}, not ${textExcerpt(rule.equals, 80)}`];
}

function schemaViolations(schema: Record<string, unknown>, body: Record<string, unknown>): string[] {
  const validate = validatorFor(schema);
  if (validate === undefined) return ["the schema does not compile"];
  return validate(body).slice(0, 5).map((violation) => `request: ${violation}`);
}
