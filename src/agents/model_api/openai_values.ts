/** Values that OpenAI's two APIs have in common. */
import type { Usage } from "../../../machines/model/playbook.ts";
import { isObject } from "../../core/values.ts";
import type { OfferedTool, RequestMessage } from "../playbook/model_request.ts";

/** Body of an error. */
export const openaiFailure = (status: number, message: string): object => ({
  error: {
    message,
    type: types[status] ?? (status < 500 ? "invalid_request_error" : "server_error"),
    ...rest(status),
  },
});

const types: Record<number, string> = { 429: "rate_limit_error" };
const codes: Record<number, string> = { 401: "invalid_api_key", 429: "rate_limit_exceeded" };
const rest = (status: number) => ({ param: null, code: codes[status] ?? null });

/** Header with the key. */
export const bearer = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` });

/** Time that answers are said to be of: two sessions have the same. */
export const createdAt = 1_700_000_000;

/** Tokens in numbers; here those from the cache count as part of the input. */
export function openaiTokens(
  usage: Usage = {},
): { input: number; output: number; cached: number; total: number } {
  const {
    input_tokens = 10,
    output_tokens: output = 5,
    cache_read_tokens: cached = 0,
    cache_write_tokens = 0,
  } = usage;
  const input = input_tokens + cached + cache_write_tokens;
  return { input, output, cached, total: input + output };
}

/** Text of a message's or a result's content: a string, or parts of which some have a text. */
export function openaiText(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.filter(isObject).flatMap(({ text }) => typeof text === "string" ? [text] : []).join("\n");
}

/** Instructions come as messages, too, of roles that have changed their names. */
export const openaiRole = (role: unknown): RequestMessage["role"] =>
  role === "assistant" ? "assistant" : role === "system" || role === "developer" ? "system" : "user";

/** A function that is offered; undefined for what has no name. */
export function openaiTool(
  { name, description, parameters }: Record<string, unknown>,
): OfferedTool | undefined {
  if (typeof name !== "string") return undefined;
  return {
    name,
    ...(typeof description === "string" ? { description } : {}),
    ...(isObject(parameters) ? { schema: parameters } : {}),
  };
}
