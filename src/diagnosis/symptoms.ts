import { legible } from "../testing/judge/legible.ts";
import type { CommandEvidence } from "../testing/evidence/failure_evidence.ts";
import type { FailureCategory } from "../../machines/model/verdict.ts";

export interface Symptoms {
  /** Category of the verdict, or of the error that loading ended in. */
  verdict: FailureCategory;
  /** Why that one, in a sentence. */
  verdictSays: string;
  /** Message of the verdict or of the error. */
  message: string;
  /** Of the assertion that failed, where one did. */
  expected?: unknown;
  actual?: unknown;
  /** The answer of the call, where there was one. */
  answer?: FailedAnswer;
  /** stderr, or the output of an install or a build. */
  output: string;
  strayOutput: string[];
  commands: CommandEvidence[];
  /** Whether loading failed, and not a test. */
  loading: boolean;
  /** Whether a module of this name is the plugin's own. */
  isOwnModule(name: string): boolean;
}

export interface FailedAnswer {
  text: string;
  isError: boolean;
  /** Code of a JSON-RPC error. */
  code?: number;
}

/** Everything that was said, the most telling first: of the output, what repeats the answer's error. */
export const symptomsText = (
  { answer, output, message }: Pick<Symptoms, "answer" | "output" | "message">,
): string =>
  [answer?.text, message, answer?.isError && reportOf(answer.text, output), output].filter(Boolean).join(
    "\n",
  );

/** Shorter words may stand anywhere. */
const fewestSigns = 8;

/**
 * The output from where it reports an error on. stderr comes on a pipe of its own: on a busy machine the end of an earlier
 * call's report may stand before it.
 */
function reportOf(error: string, output: string): string | undefined {
  const words = error.trimStart().split("\n", 1)[0]!.replace(/^(?:[\w.]*(?:Error|Exception): )+/, "").trim();
  const at = words.length < fewestSigns ? -1 : output.lastIndexOf(words);
  if (at < 0) return undefined;
  const before = output.slice(0, output.lastIndexOf("\n", at) + 1);
  // Python tells frames before the error, Rust the place.
  const head =
    /(?:^|\n)((?:Traceback \(most recent call last\):\n(?:[ \t][^\n]*\n)*|thread [^\n]* panicked at [^\n]*\n))$/
      .exec(before);
  return (head?.[1] ?? "") + output.slice(before.length);
}

/** The answer to the last call of an exchange. */
export function answerIn(exchange: readonly unknown[]): FailedAnswer | undefined {
  const last = exchange.findLast((each) => {
    const { direction, message } = each as { direction?: string; message?: object };
    return direction === "received" && message !== undefined && ("result" in message || "error" in message);
  }) as { message: { result?: unknown; error?: unknown } } | undefined;
  if (last === undefined) return undefined;
  const { result, error } = last.message;
  if (error !== undefined && error !== null) {
    const { code, message } = error as { code?: unknown; message?: unknown };
    return { text: legible(String(message)), isError: true, ...(typeof code === "number" ? { code } : {}) };
  }
  const { content, isError } = (result ?? {}) as { content?: unknown; isError?: unknown };
  const parts: { text?: unknown }[] = Array.isArray(content) ? content : [];
  const text = parts.flatMap((part) => typeof part?.text === "string" ? part.text : []).join("\n");
  return { text: legible(text), isError: isError === true };
}
