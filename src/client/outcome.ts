/** The answer to a tool call, as it came and as the protocol and the tool's own schema judge it. */
import type { CallOutcome } from "../../machines/model/plugin.ts";
import { type JsonObject } from "./rpc_message.ts";
import { isObject } from "../core/values.ts";
import type { PeerResponse } from "./rpc_peer.ts";
import { validatorFor } from "./schema_problems.ts";

type Violation = CallOutcome["violations"][number];

const malformed = (message: string): Violation => ({ kind: "malformed", message });

/** Never throws: whatever came is an outcome. */
export function buildOutcome(answer: PeerResponse, outputSchema: unknown): CallOutcome {
  const violations = answer.problems.map(malformed);
  if (answer.error !== undefined) return errorOutcome(answer, violations);
  if (answer.result === undefined) return unusableOutcome(answer, violations);
  return resultOutcome(answer.result, outputSchema, violations, answer.durationMs);
}

/** Judges the answer to a request other than `tools/call`; the method decides what its result must hold. */
export function buildRequestOutcome(answer: PeerResponse): CallOutcome {
  const violations = answer.problems.map(malformed);
  if (answer.error !== undefined) return errorOutcome(answer, violations);
  if (!isObject(answer.result)) return unusableOutcome(answer, violations);
  const { contents, messages } = answer.result;
  const texts = [
    ...listOf(contents),
    ...listOf(messages).map((message) => isObject(message) && message.content),
  ];
  return {
    kind: "result",
    raw: answer.result,
    text: texts.flatMap((part) => isObject(part) && typeof part.text === "string" ? [part.text] : []).join(
      "\n",
    ),
    isError: false,
    violations,
    durationMs: answer.durationMs,
  };
}

const listOf = (value: unknown): unknown[] => Array.isArray(value) ? value : [];

function errorOutcome({ error, raw, durationMs }: PeerResponse, violations: Violation[]): CallOutcome {
  return {
    kind: "rpc_error",
    raw: isObject(raw) ? raw.error : raw,
    text: error!.message,
    isError: true,
    code: error!.code,
    violations,
    durationMs,
  };
}

/** Neither a result nor an error: no success, and the whole message is the fact. */
const unusableOutcome = ({ raw, durationMs }: PeerResponse, violations: Violation[]): CallOutcome => ({
  kind: "rpc_error",
  raw,
  text: violations.map((violation) => violation.message).join("; "),
  isError: true,
  violations,
  durationMs,
});

function resultOutcome(
  result: unknown,
  outputSchema: unknown,
  violations: Violation[],
  durationMs: number,
): CallOutcome {
  const { content, structuredContent, isError, resultType } = isObject(result) ? result : {} as JsonObject;
  const parts = Array.isArray(content) ? content : undefined;
  if (resultType === "input_required") {
    violations.push(malformed("the result asks for input that this client does not offer"));
  } else if (parts === undefined) {
    violations.push({ kind: "no_content_array", message: `"content" is ${kindOf(content)}, not an array` });
  } else violations.push(...contentProblems(parts).map(malformed));
  if (isError !== true && outputSchema !== undefined) {
    violations.push(...outputBreaches(structuredContent, outputSchema));
  }
  return {
    kind: "result",
    raw: result,
    text: textOf(parts ?? []),
    isError: isError === true,
    ...(structuredContent === undefined ? {} : { structuredContent }),
    ...(parts === undefined ? {} : { content: parts }),
    violations,
    durationMs,
  };
}

const kindOf = (value: unknown): string =>
  value === undefined ? "missing" : value === null ? "null" : typeof value;

function textOf(parts: unknown[]): string {
  return parts.flatMap((part) =>
    isObject(part) && part.type === "text" && typeof part.text === "string" ? [part.text] : []
  )
    .join("\n");
}

function outputBreaches(structuredContent: unknown, outputSchema: unknown): Violation[] {
  const breach = (message: string): Violation => ({ kind: "output_schema", message });
  if (structuredContent === undefined) {
    return [breach("the tool declares an outputSchema and answered no structuredContent")];
  }
  // A schema that does not compile is reported by `schemaProblems`.
  return (validatorFor(outputSchema)?.(structuredContent) ?? []).map(breach);
}

/** Members that each kind of item must have, with their types. */
const kinds: Record<string, Record<string, "string" | "object">> = {
  text: { text: "string" },
  image: { data: "string", mimeType: "string" },
  audio: { data: "string", mimeType: "string" },
  resource: { resource: "object" },
  resource_link: { uri: "string", name: "string" },
};

/** Limit on problems in one message. */
const mostTold = 5;

/** Empty where every item is one of the protocol's. */
export function contentProblems(items: readonly unknown[]): string[] {
  const problems: string[] = [];
  for (const [index, item] of items.entries()) {
    const problem = problemOf(item);
    if (problem === undefined) continue;
    if (problems.length === mostTold) return [...problems, "… and more such items"];
    problems.push(`content[${index}] ${problem}`);
  }
  return problems;
}

function problemOf(item: unknown): string | undefined {
  if (!isObject(item)) {
    return `is ${
      Array.isArray(item) ? "a list" : item === null ? "null" : `a ${typeof item}`
    }, not an object`;
  }
  const { type } = item;
  if (typeof type !== "string") return `has no "type"`;
  const members = Object.hasOwn(kinds, type) ? kinds[type] : undefined;
  if (members === undefined) return `has the unknown type ${JSON.stringify(type.slice(0, 60))}`;
  for (const [name, kind] of Object.entries(members)) {
    const value = item[name];
    if (kind === "object" ? !isObject(value) : typeof value !== "string") {
      return `is of type "${type}" and its "${name}" is ${value === undefined ? "missing" : `no ${kind}`}`;
    }
  }
  return type === "resource" && typeof (item.resource as { uri?: unknown }).uri !== "string"
    ? `is of type "resource" and its "resource" has no "uri"`
    : undefined;
}
