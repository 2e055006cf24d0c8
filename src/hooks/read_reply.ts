/** Reads what a hook wrote or answered: text, JSON in the form that is asked for, or a mistake. */
import { isObject } from "../core/values.ts";
import { issueText } from "../core/issue_text.ts";
import { answerSchema, backgroundSchema, type HookAnswer } from "./answer_schema.ts";

export type HookReply =
  | { kind: "text"; text: string }
  | { kind: "json"; answer: HookAnswer; /** Keys that count for nothing. */ ignored: string[] }
  | { kind: "background" }
  | { kind: "invalid"; reason: string };

/** Longest output that is read as JSON, in characters. */
const longest = 1_000_000;

/** Reads stdout of a command: what does not begin with `{` is text. */
export function readReply(stdout: string): HookReply {
  const text = stdout.trim();
  if (!text.startsWith("{") || text.length > longest) return { kind: "text", text: stdout };
  try {
    return checked(JSON.parse(text));
  } catch (error) {
    if (!text.endsWith("}") || isSeveral(text)) return { kind: "text", text: stdout };
    return { kind: "invalid", reason: `it looks like JSON, and is not: ${(error as Error).message}` };
  }
}

/** Reads the body of an answer to a request: nothing is no answer, and text is a mistake. */
export function readBody(body: string): HookReply {
  const text = body.trim();
  if (text === "") return { kind: "json", answer: {}, ignored: [] };
  if (!text.startsWith("{") || text.length > longest) {
    return { kind: "invalid", reason: "expected a JSON object, the body is none" };
  }
  try {
    return checked(JSON.parse(text));
  } catch (error) {
    return { kind: "invalid", reason: `expected JSON: ${(error as Error).message}` };
  }
}

function checked(value: unknown): HookReply {
  if (backgroundSchema.safeParse(value).success) return { kind: "background" };
  const { data, error } = answerSchema.safeParse(value);
  if (data !== undefined) {
    return { kind: "json", answer: data as HookAnswer, ignored: ignoredKeys(value, data) };
  }
  return { kind: "invalid", reason: mistake(value, error!.issues) };
}

type Issues = NonNullable<ReturnType<typeof answerSchema.safeParse>["error"]>["issues"];

function mistake(value: unknown, issues: Issues): string {
  const output = isObject(value) ? value.hookSpecificOutput : undefined;
  if (isObject(output) && output.hookEventName === undefined) {
    return "hookSpecificOutput lacks hookEventName";
  }
  const [issue] = issues as [Issues[number]];
  const { path } = issue;
  const decision = isObject(value) ? value.decision : undefined;
  if (path.length === 1 && path[0] === "decision" && ["allow", "deny", "ask"].includes(String(decision))) {
    return `decision is "approve" or "block"; for "${decision}" PreToolUse has hookSpecificOutput.permissionDecision`;
  }
  return issueText(issue, value);
}

function ignoredKeys(value: unknown, data: unknown): string[] {
  if (!isObject(value) || !isObject(data)) return [];
  const top = Object.keys(value).filter((key) => !Object.hasOwn(data, key));
  const [given, known] = [value.hookSpecificOutput, data.hookSpecificOutput];
  const below = isObject(given) && isObject(known)
    ? Object.keys(given).filter((key) => !Object.hasOwn(known, key)).map((key) => `hookSpecificOutput.${key}`)
    : [];
  return [...top, ...below];
}

/** Several JSON documents, one a line, are text, unless one of them is an answer. */
function isSeveral(text: string): boolean {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.length > 1 && lines.every((line) => {
    try {
      const { data } = answerSchema.safeParse(JSON.parse(line));
      return data === undefined || Object.keys(data).length === 0;
    } catch {
      return false; // no document of its own
    }
  });
}
