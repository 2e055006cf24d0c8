/** Judges a test with a prompt on which an agent worked by itself: its session, its checklist, and `verify` commands. */
import type { AgentSessionResult, TraceEntry } from "../../../machines/model/agent_session.ts";
import type { PromptWork } from "../../../machines/model/prompt_work.ts";
import type { TestCase } from "../../../machines/model/test_case.ts";
import type { FailureCategory, Verdict } from "../../../machines/model/verdict.ts";
import { count } from "../../core/text.ts";
import { commandProblems, itemText, unmet } from "./judge_agent_run.ts";
import { readChecklist } from "./read_checklist.ts";

/** Error texts stand for what `work.error` holds; the machine does not know what it caught. */
export interface JudgedPromptWork extends Omit<PromptWork, "error"> {
  error?: string;
}

/** @param tools Names of the plugin's tools: an agent that got no answer of any has not shown that they can be used. */
export function judgePromptTest(test: TestCase, work: JudgedPromptWork, tools: readonly string[]): Verdict {
  const calls = callsIn(work.session);
  const fail = (category: FailureCategory, message: string): Verdict => ({
    status: "failed",
    category,
    message: `${message}\n  ${sequenceOf(calls)}`,
    findings: [],
  });
  const cut = cutShort(test, work);
  if (cut !== undefined) return fail(cut.category, cut.message);
  if (!calls.some(({ tool, result }) => result !== undefined && isOfPlugin(tool, tools))) {
    return fail("missing-side-effect", "the agent got an answer of none of the plugin's tools");
  }
  const { checklist = [] } = test;
  const judged = checklist.length === 0 ? { items: [], problems: [] } : judgementOf(test, work.judgement);
  const unproven = commandProblems(work);
  if (judged.problems.length > 0) {
    const problems = [
      ...unproven,
      ...judged.problems.map((problem) => `the checklist is not judged: ${problem}`),
    ];
    return fail(unproven.length > 0 ? "missing-side-effect" : "dependency-error", problems.join("\n"));
  }
  const problems = [...unmet(judged.items), ...unproven];
  const told = judged.items.length === 0 ? {} : { checklist: judged.items };
  if (problems.length > 0) return { ...fail("missing-side-effect", problems.join("\n")), ...told };
  const done = `${count(calls.length, "call")}, ${count(test.verify.length, "command")} verified`;
  return { status: "passed", note: [done, ...judged.items.map(itemText)].join("\n"), findings: [], ...told };
}

function cutShort(
  { timeoutSeconds }: TestCase,
  { setupFailure, timedOut, error, session }: JudgedPromptWork,
): { category: FailureCategory; message: string } | undefined {
  if (setupFailure !== undefined) {
    return { category: "dependency-error", message: `setup failed, no agent was started: ${setupFailure}` };
  }
  if (timedOut) {
    const limit = timeoutSeconds === undefined ? "its limit" : `${timeoutSeconds} s`;
    return { category: "timeout", message: `the agent was not done within ${limit}, and was ended` };
  }
  if (error !== undefined) return { category: "dependency-error", message: error };
  if (session === undefined) return { category: "dependency-error", message: "the agent has not run" };
  if (session.failures.length === 0) return undefined;
  const category = session.stopped === "timed-out" ? "timeout" : "wrong-output";
  return { category, message: session.failures.join("\n") };
}

type Call = Extract<TraceEntry, { type: "tool_call" }>;

const callsIn = (session: AgentSessionResult | undefined): Call[] =>
  (session?.trace.timeline ?? []).filter((entry): entry is Call => entry.type === "tool_call");

/** Agents put the server's name before a tool's. */
const isOfPlugin = (called: string, tools: readonly string[]): boolean =>
  tools.some((name) => called === name || called.endsWith(`__${name}`));

function sequenceOf(calls: readonly Call[]): string {
  const made = calls.map(({ tool, is_error: isError }) => `${tool}${isError ? " (failed)" : ""}`);
  return made.length === 0 ? "no tool was called" : `called: ${made.join(", ")}`;
}

function judgementOf(
  { checklist = [] }: TestCase,
  judgement: AgentSessionResult | undefined,
): ReturnType<typeof readChecklist> {
  if (judgement === undefined) return { items: [], problems: ["no session has judged it"] };
  if (judgement.failures.length > 0) return { items: [], problems: judgement.failures };
  return readChecklist(lastWords(judgement), checklist);
}

/** Text of the last turn: an agent's own output may be wrapped. */
export function lastWords({ trace: { timeline } }: Pick<AgentSessionResult, "trace">): string {
  const turns = timeline.flatMap((entry) => entry.type === "turn" ? entry.text ?? [] : []);
  return turns.at(-1) ?? "";
}
