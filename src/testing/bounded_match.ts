/**
 * Regular expressions in bounded time: a pattern that runs away on an answer made for it must not hang PTH.
 *
 * `node:vm` can stop the engine in the midst of a match, on Node and on Deno; patterns stay JavaScript's own, with look
 * around and back references, which engines in linear time do not have.
 */
import { createContext, Script } from "node:vm";
import { PthError } from "../errors.ts";

/** How long one match may take, in milliseconds; honest ones take less than one. */
export const matchLimitMs = 1000;

interface Sandbox {
  pattern: string;
  flags: string;
  text: string;
}

const sandbox: Sandbox = { pattern: "", flags: "", text: "" };
/** Made at the first match: most runs have no pattern. */
let engine: { script: Script; context: object } | undefined;

/**
 * Whether a pattern matches a text, or "runs away" where that took longer than the limit.
 * @throws {SyntaxError} for a pattern that does not compile.
 */
export function boundedMatch(
  pattern: string,
  flags: string,
  text: string,
  limitMs: number = matchLimitMs,
): boolean | "runs away" {
  new RegExp(pattern, flags);
  engine ??= {
    script: new Script("new RegExp(pattern, flags).test(text)"),
    context: createContext(sandbox),
  };
  Object.assign(sandbox, { pattern, flags, text });
  try {
    return engine.script.runInContext(engine.context, { timeout: limitMs }) as boolean;
  } catch (error) {
    if ((error as { code?: string }).code === "ERR_SCRIPT_EXECUTION_TIMEOUT") return "runs away";
    throw error;
  } finally {
    sandbox.text = "";
  }
}

/** As `boundedMatch`, for callers that have no words of their own. @throws {PthError} `INVALID_TEST_FILE` when it runs away. */
export function matchOrThrow(pattern: string, flags: string, text: string): boolean {
  const matched = boundedMatch(pattern, flags, text);
  if (matched !== "runs away") return matched;
  throw new PthError(
    "INVALID_TEST_FILE",
    `Cannot match /${pattern}/: it runs away on a text of ${text.length} characters`,
    {
      next: [
        "Write it without a repeated group that holds a repetition, for example [^,]* in place of (.*)*",
      ],
    },
  );
}
