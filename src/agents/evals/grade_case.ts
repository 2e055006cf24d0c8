/** Graders of evals on a session that PTH has run; those of kind `llm` are judged by the model in a session of their own. */
import type { AgentSessionResult, TraceEntry } from "../../../machines/model/agent_session.ts";
import { count, oneLine } from "../../core/text.ts";
import { bounded, OutOfTime } from "../../platform/bounded.ts";
import { lastWords } from "../../testing/judge/judge_prompt_test.ts";
import { boundedMatch } from "../../testing/match/bounded_match.ts";
import type { EvalCall, EvalCase, EvalGrader, EvalTarget } from "../../../machines/model/eval_case.ts";
import type { GraderResult } from "../../../machines/model/eval_result.ts";

type ToolCallEntry = Extract<TraceEntry, { type: "tool_call" }>;
type SessionTrace = Pick<AgentSessionResult, "trace">;
export type LlmGrader = Extract<EvalGrader, { type: "llm" }>;

/** Reasons why PTH cannot tell what Claude Code's own runner would; empty: it can. */
export function runnerOnlyReasons({ runnerOnly, graders }: EvalCase): string[] {
  return [
    ...runnerOnly.map((key) => `it has ${key}`),
    ...graders.flatMap((grader) => {
      const { name, type } = grader;
      if (type === "baseline") return [`grader ${name} compares with a baseline of Claude Code's own`];
      const target = type === "regex" ? grader.target : type === "llm" ? grader.focus : undefined;
      if (target === "mock_calls") return [`grader ${name} reads calls of mocks`];
      if (target === "trace" && type === "regex") return [`grader ${name} reads Claude Code's own trace`];
      return typeof target === "object" ? [`grader ${name} reads the file ${target.path}`] : [];
    }),
  ];
}

export const llmGraders = ({ graders }: EvalCase): LlmGrader[] =>
  graders.filter((grader): grader is LlmGrader => grader.type === "llm");

/** Judges all graders but those that a model judges. */
export function gradeCase({ graders }: Pick<EvalCase, "graders">, session: SessionTrace): GraderResult[] {
  return graders.flatMap((grader): GraderResult[] => {
    if (grader.type === "llm") return [];
    const { name, type, weight } = grader;
    return [{ name, type, weight, ...gradeOne(grader, session) }];
  });
}

type Grade = Pick<GraderResult, "passed" | "explanation">;

export const toolCallsIn = ({ trace }: SessionTrace): ToolCallEntry[] =>
  trace.timeline.filter((entry): entry is ToolCallEntry => entry.type === "tool_call");

function gradeOne(grader: Exclude<EvalGrader, LlmGrader>, session: SessionTrace): Grade {
  switch (grader.type) {
    case "regex":
      return gradeText(grader, targetText(grader.target, session));
    case "tool_used": {
      const { tool, min = 1, max = Infinity } = grader;
      const made = toolCallsIn(session).filter((call) => isCall(call, grader)).length;
      const range = max === Infinity ? `at least ${min}` : `${min} to ${max}`;
      return {
        passed: made >= min && made <= max,
        explanation: `${tool} was called ${count(made, "time")}${matchNote(grader)}, expected ${range}`,
      };
    }
    case "tool_order": {
      const calls = toolCallsIn(session);
      const [first, second] = [grader.before, grader.after].map((call) =>
        calls.findIndex((made) => isCall(made, call))
      ) as [number, number];
      for (const [at, call] of [[first, grader.before], [second, grader.after]] as const) {
        if (at < 0) return { passed: false, explanation: `${call.tool} was never called${matchNote(call)}` };
      }
      const order = first < second ? "before" : first === second ? "by the same call as" : "after";
      return {
        passed: first < second,
        explanation: `${grader.before.tool} was called ${order} ${grader.after.tool}`,
      };
    }
    case "file_exists": {
      const pattern = globPattern(grader.path);
      const made = createdFiles(session).find((path) => pattern.test(path));
      return {
        passed: (made !== undefined) === grader.exists,
        explanation: made === undefined ? `no file ${grader.path} was made` : `${made} was made`,
      };
    }
    case "baseline":
      return { passed: false, explanation: "a baseline is compared by Claude Code alone" };
  }
}

function gradeText(
  { pattern, flags, match, target }: Extract<EvalGrader, { type: "regex" }>,
  text: string,
): Grade {
  const what = target === "files" ? "the list of files" : "the last message";
  const shown = `/${pattern}/${flags}`;
  const got = `: ${text === "" ? "it is empty" : oneLine(text, 300)}`;
  try {
    if (match.startsWith("count:")) {
      const every = new RegExp(pattern, flags.includes("g") ? flags : `${flags}g`);
      const found = bounded(() => (text.match(every) ?? []).length);
      const passed = found === Number(match.slice("count:".length));
      return {
        passed,
        explanation: `${shown} matches ${what} ${count(found, "time")}, expected ${match.slice(6)}`,
      };
    }
    const found = boundedMatch(pattern, flags, text);
    if (found === "runs away") return { passed: false, explanation: `${shown} runs away on ${what}` };
    const passed = found === (match === "contains");
    return {
      passed,
      explanation: `${shown} ${found ? "matches" : "does not match"} ${what}${passed ? "" : got}`,
    };
  } catch (error) {
    if (!(error instanceof OutOfTime)) throw error;
    return { passed: false, explanation: `${shown} runs away on ${what}` };
  }
}

/** Text that a grader looks at; `trace` is one line of JSON for each entry of PTH's own. */
export function targetText(target: EvalTarget, session: SessionTrace): string {
  if (target === "files") return createdFiles(session).join("\n");
  if (target === "trace") return session.trace.timeline.map((entry) => JSON.stringify(entry)).join("\n");
  return lastWords(session);
}

export const createdFiles = ({ trace }: SessionTrace): string[] =>
  trace.changes.filter(({ change }) => change === "added").map(({ path }) => path);

function isCall({ tool, input }: ToolCallEntry, call: EvalCall): boolean {
  if (tool !== call.tool) return false;
  // One that runs away fits nothing: such a pattern was refused when it was read, as far as that can be told.
  return call.input_match === undefined ||
    boundedMatch(call.input_match, "", JSON.stringify(input) ?? "") === true;
}

const matchNote = ({ input_match: pattern }: EvalCall): string =>
  pattern === undefined ? "" : ` with an input that matches /${pattern}/`;

/** `**` is any folders, `*` any text without "/", `?` one character, as Claude Code reads them. */
function globPattern(glob: string): RegExp {
  const source = glob.replaceAll(/\*\*\/|\*\*|\*|\?|[.+^${}()|[\]\\]/g, (part) => {
    if (part === "**/") return "(?:.*/)?";
    if (part === "**") return ".*";
    if (part === "*") return "[^/]*";
    return part === "?" ? "." : `\\${part}`;
  });
  return new RegExp(`^${source}$`);
}

/** Tools that Claude Code's runner gives without a grant. */
const ungated = new Set([
  ...["Read", "Glob", "Grep", "NotebookRead", "Skill", "AskUserQuestion", "Agent", "TodoWrite"],
  ...["TaskCreate", "TaskGet", "TaskList", "TaskUpdate", "TaskStop"],
]);
export const isUngated = (tool: string): boolean => ungated.has(tool);
/** One of these in `allowed_tools` grants all. */
const editing = ["Write", "Edit", "NotebookEdit"];

/** Limits of the case that its session broke, with Claude Code's names of tools; PTH itself allows every tool. */
export function limitsBroken({ execution }: EvalCase, session: SessionTrace): string[] {
  const { max_turns: most, allowed_tools: allowed, disallowed_tools: disallowed } = execution;
  const names = (tools: readonly string[]) => tools.map((tool) => tool.replace(/\(.*$/s, "").trim());
  const given = names(allowed);
  const isGiven = (tool: string): boolean =>
    given.some((name) =>
      name === tool || (name.endsWith("*") && tool.startsWith(name.slice(0, -1))) ||
      (editing.includes(name) && editing.includes(tool)) ||
      (/^mcp__/.test(name) && tool.startsWith(`${name}__`))
    );
  const called = [...new Set(toolCallsIn(session).map(({ tool }) => tool))];
  const turns =
    session.trace.timeline.filter((entry) => entry.type === "turn" && entry.lane === "main").length;
  return [
    ...called.filter((tool) => disallowed.includes(tool)).map((tool) =>
      `${tool} was called, which disallowed_tools has`
    ),
    ...called.filter((tool) => !disallowed.includes(tool) && !isUngated(tool) && !isGiven(tool)).map((
      tool,
    ) => `${tool} was called, which allowed_tools does not have: Claude Code would not offer it`),
    ...(turns > most ? [`it took ${count(turns, "turn")}, and max_turns is ${most}`] : []),
  ];
}
