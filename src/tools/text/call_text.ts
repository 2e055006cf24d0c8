/** Answer of a plugin's tool, as far as a model needs it. */
import type { CallOutcome } from "../../../machines/model/plugin.ts";
import { isObject } from "../../core/values.ts";
import { boundedTail, sectionHead, tailLimits } from "../bounded_tail.ts";
import { duration, joinLines } from "./join_lines.ts";

/** Characters of structured content and of an error's data without `detail`. */
const jsonShown = 1500;
/** Said as it is: a second call may have side effects. */
const more = "; detail: true calls it again and shows all";

export function callText(tool: string, outcome: CallOutcome, detail: boolean | undefined): string {
  const { text, structuredContent, content = [], violations } = outcome;
  return joinLines(
    callHeadline(tool, outcome),
    shownText(text, detail),
    ...content.map(contentRow),
    !saysTheSame(text, structuredContent) && `Structured: ${json(structuredContent, detail)}`,
    errorData(outcome, detail),
    ...violations.map((violation) => `Breach (${violation.kind}): ${violation.message}`),
  );
}

export const shownText = (text: string, detail: boolean | undefined): string =>
  boundedTail(text, tailLimits(detail), more);

/** Says how the call ended, and after which time. */
export function callHeadline(tool: string, { kind, code, isError, durationMs }: CallOutcome): string {
  const took = duration(durationMs);
  if (kind === "rpc_error") return `${tool} answered JSON-RPC error ${code} after ${took}:`;
  return `${tool} answered ${isError ? "isError" : "success"} after ${took}:`;
}

/** Images and the like by their kind and size; texts are told in full. */
export function contentRow(part: unknown): string {
  if (!isObject(part) || part["type"] === "text") return "";
  const { type, mimeType, uri, data } = part;
  const facts = [mimeType, uri, typeof data === "string" && `${data.length} characters of base64`];
  return `(${[type, ...facts].filter((fact) => typeof fact === "string").join(", ")})`;
}

/** Servers that answer structured content put the same JSON into the text. */
export const saysTheSame = (text: string, structured: unknown): boolean =>
  structured === undefined || withoutBlanks(text) === withoutBlanks(JSON.stringify(structured));

const withoutBlanks = (text: string): string => text.replace(/\s/g, "");

function errorData({ kind, raw }: CallOutcome, detail: boolean | undefined): string {
  if (kind !== "rpc_error" || !isObject(raw) || raw["data"] === undefined) return "";
  return `Data of the error: ${json(raw["data"], detail)}`;
}

function json(value: unknown, detail: boolean | undefined): string {
  const text = JSON.stringify(value);
  return detail ? text : sectionHead(text, jsonShown);
}
