/** Calls that are made at once are each answered once, and with their own answer (JSON-RPC 2.0: ids; MCP, "Requests"). */
import { isDeepStrictEqual } from "node:util";
import type { CallOutcome } from "../../../machines/model/plugin.ts";
import type { Finding } from "../../../machines/model/verdict.ts";
import { asPthError } from "../../core/errors.ts";
import { count, oneLine, textExcerpt } from "../../core/text.ts";
import { createBreather } from "../../core/waiting.ts";
import { type CheckContext, checkFailed, checkPassed, defineCheck } from "../check.ts";
import { calmTools, distinctInputs, type MarkedInput } from "../generate/check_calls.ts";
import { skippingVerdict } from "../judge/failing_verdict.ts";

/** Most tools that are called, with two inputs each, and most that turn out to be slow. */
const [mostTools, mostSlow] = [4, 2];
/** Tools that take longer for one call, in ms, are left out; and no more are tried after so long. */
const [quickMs, allMs] = [1000, 6000];
/** Limit in ms on all of them at once, also where the server makes one after the other. */
const atOnceMs = 2 * mostTools * quickMs + 2000;

interface Call extends MarkedInput {
  tool: string;
  /** Answers to the same call while it is alone, before and after. */
  alone: CallOutcome[];
}

export default defineCheck({
  name: "answers_calls_at_once",
  summary: "answers calls that are made at once, each with its own answer",
  category: "protocol-error",
  onlyAsks: true,
  callsTools: true,
  appliesTo: (tools) => calmTools(tools).length > 0,
  async run(context) {
    const calls = await quickCalls(context);
    if (calls === "lost") return skippingVerdict("server ended before calls could be made at once");
    if (calls.length < 2) return skippingVerdict("no two calls were found that are answered quickly");
    const before = twice(context);
    const answers = await Promise.allSettled(
      calls.map(({ tool, input }) => context.call(tool, input, { timeoutMs: atOnceMs })),
    );
    const gone = answers.flatMap((each) => each.status === "rejected" ? asPthError(each.reason) : []);
    const unanswered = calls.filter((_, index) => answers[index]!.status === "rejected");
    for (const error of gone) {
      if (error.code !== "SERVER_LOST" && error.code !== "SERVER_SILENT") throw error;
      const lost = error.code === "SERVER_LOST";
      const words =
        `${unanswered.length} of ${count(calls.length, "call")} made at once were not answered, ` +
        `each of which is answered when it is alone: ${
          [...new Set(unanswered.map(({ tool }) => tool))].join(", ")
        }`;
      return checkFailed(
        lost ? "runtime-exception" : "timeout",
        lost ? `${words}\n  ${error.message}` : words,
      );
    }
    await alone(context, calls);
    if (twice(context) > before) {
      return checkFailed(this.category, "one of several calls made at once was answered twice");
    }
    const at = (index: number) => (answers[index] as PromiseFulfilledResult<CallOutcome>).value;
    const mixed = calls.flatMap((call, index) => mixUp(call, at(index), calls) ?? []);
    if (mixed.length > 0) return checkFailed("wrong-output", mixed.join("\n  "), mixed);
    return checkPassed(
      `${count(calls.length, "call")} at once`,
      calls.flatMap((call, index) => failsBeside(call, at(index)) ?? []),
    );
  },
});

/** Second answers so far. */
const twice = ({ incidents }: CheckContext): number =>
  incidents().filter(({ code }) => code === "answered-twice").length;

/** Calls that are answered soon while they are alone. */
async function quickCalls(context: CheckContext): Promise<Call[] | "lost"> {
  const end = performance.now() + allMs;
  const calls: Call[] = [];
  const breathe = createBreather();
  let slow = 0;
  for (const tool of calmTools(await context.tools())) {
    if (slow >= mostSlow || performance.now() > end) break;
    await breathe();
    const inputs = distinctInputs(tool);
    for (const marked of inputs) {
      if (performance.now() > end || calls.length >= 2 * mostTools) return calls;
      try {
        const outcome = await context.call(tool.name, marked.input, { timeoutMs: quickMs });
        calls.push({ ...marked, tool: tool.name, alone: [outcome] });
      } catch (error) {
        const { code } = asPthError(error);
        if (code === "SERVER_LOST") return "lost";
        if (code !== "SERVER_SILENT") throw error;
        slow++;
        break;
      }
    }
  }
  return calls;
}

/** Makes each call alone once more: only what is answered alike before and after is known well enough. */
async function alone(context: CheckContext, calls: readonly Call[]): Promise<void> {
  for (const call of calls) call.alone.push(await context.call(call.tool, call.input));
}

const contentOf = ({ kind, text, isError, content, structuredContent }: CallOutcome): unknown => ({
  kind,
  isError,
  answer: content ?? text,
  structuredContent,
});
const isSame = (a: CallOutcome, b: CallOutcome): boolean => isDeepStrictEqual(contentOf(a), contentOf(b));
const isKnown = ({ alone: [first, second] }: Call): boolean =>
  first !== undefined && second !== undefined && isSame(first, second);

/** Words on an answer that is another call's, and certainly not its own. */
function mixUp(call: Call, answer: CallOutcome, calls: readonly Call[]): string | undefined {
  const [own] = call.alone;
  if (!isKnown(call) || own === undefined || isSame(own, answer)) return undefined;
  const other = calls.find((candidate) =>
    candidate !== call && isKnown(candidate) && isOf(candidate, call, answer, own)
  );
  if (other === undefined) return undefined;
  return `${call.tool} called with ${
    textExcerpt(call.input, 120)
  } beside other calls got the answer to ${other.tool} ` +
    `called with ${textExcerpt(other.input, 120)}: ${textExcerpt(answer.text, 120)}; alone it gets ${
      textExcerpt(own.text, 120)
    }`;
}

/**
 * Whether the answer is the other call's: that of the same tool to another input, or one that repeats the text of the other's
 * input in place of its own. What a tool tells of other tools' calls is its own matter.
 */
function isOf(other: Call, call: Call, answer: CallOutcome, own: CallOutcome): boolean {
  const [others] = other.alone;
  if (other.tool === call.tool && others !== undefined && !isSame(others, own) && isSame(others, answer)) {
    return true;
  }
  const repeats = (outcome: CallOutcome, mark: string) => JSON.stringify(contentOf(outcome)).includes(mark);
  return call.mark !== undefined && other.mark !== undefined && call.mark !== other.mark &&
    repeats(own, call.mark) && !repeats(own, other.mark) && repeats(answer, other.mark) &&
    !repeats(answer, call.mark);
}

/** Finding for a call that succeeds whenever it is alone, and fails with others at once. */
function failsBeside(call: Call, answer: CallOutcome): Finding | undefined {
  if (!answer.isError || call.alone.some(({ isError }) => isError)) return undefined;
  return {
    severity: "warning",
    code: "fails-beside-others",
    tool: call.tool,
    message: `${call.tool} succeeds alone and fails when other calls are made at once: ${
      oneLine(answer.text, 200)
    }`,
  };
}
