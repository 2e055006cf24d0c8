/** One tool call, from its name and raw arguments to a result; the one place where errors are caught. */
import type { CallToolResult } from "@modelcontextprotocol/sdk/types";
import { PthError } from "../core/errors.ts";
import type { AskConfig, Harness } from "../api/harness.ts";
import { log } from "../platform/log.ts";
import type { RegisteredTool, ToolAnswer, ToolContext } from "../tools/tool.ts";
import { notChosen, type Toolset, toolsetOf } from "../tools/toolset.ts";
import { visibleText } from "../core/text.ts";
import type { AnswerPages } from "./answer_pages.ts";
import type { LazyHarness } from "./lazy_harness.ts";
import type { CallProgress } from "./progress.ts";
import { renderToolError } from "./render_tool_error.ts";
import type { RunningCalls } from "./running_calls.ts";
import { validate } from "./validate.ts";
import type { WatchAddresses } from "./watch_addresses.ts";
import { joinLines } from "../tools/text/join_lines.ts";

interface CallParts {
  door: LazyHarness;
  toolsets: ReadonlySet<Toolset>;
  watching: WatchAddresses;
  pages: AnswerPages;
  calls: RunningCalls;
  /** Answers carry their data, too. */
  structured: boolean;
  signal: AbortSignal;
  progress: CallProgress;
  /** The caller hears of progress, and waits as long as that comes. */
  patient: boolean;
  askConfig?: AskConfig;
}

export async function answerToolCall(
  tool: RegisteredTool,
  input: unknown,
  parts: CallParts,
): Promise<CallToolResult> {
  log.debug("tool called", { tool: tool.name });
  try {
    const toolset = toolsetOf(tool);
    if (!parts.toolsets.has(toolset)) throw notChosen(tool, toolset);
    if (!tool.definition.dormant && !parts.door.active) throw noSession(tool.name);
    const parsed = validate(tool, input);
    const { pages, structured } = parts;
    const { text, data } = await answer(tool, parsed, parts);
    return {
      content: [{ type: "text", text: await pages.first(visibleText(text)) }],
      ...(structured ? { structuredContent: data } : {}),
    };
  } catch (error) {
    if (parts.signal.aborted) log.debug("tool call cancelled", { tool: tool.name });
    else log.info("tool call failed", { tool: tool.name, error });
    const action = `Cannot run ${tool.name}`;
    const { text, details } = renderToolError(error, action, log.enabled("debug"), parts.pages);
    const busy = details["code"] === "NOT_NOW" ? parts.calls.others(parts.progress) : [];
    const whole = [text, ...busy.map((call) => `Under way: ${visibleText(call)}`)].join("\n");
    return {
      isError: true,
      content: [{ type: "text", text: await parts.pages.first(whole) }],
      // Not as structured content, which has to fit the tool's schema of answers.
      ...(parts.structured ? { _meta: { "pth/error": details } } : {}),
    };
  }
}

/** `pth_get_answer` is no call that could itself be answered later. */
const asksForAnswer = ({ definition }: RegisteredTool): boolean => definition.dormant === "answers";

async function answer(
  tool: RegisteredTool,
  parsed: Record<string, unknown>,
  { door, watching, pages, calls, structured, patient, signal, progress, askConfig }: CallParts,
): Promise<ToolAnswer> {
  const work = async (signal: AbortSignal) => {
    const harness = await door.open();
    const onStep: ToolContext["progress"] = (step) => progress.step(step);
    return await run(tool, parsed, {
      harness,
      signal,
      progress: onStep,
      ...(askConfig === undefined ? {} : { askConfig }),
      watchAddress: () => watching.next(harness),
      nextPage: (cursor) => pages.next(cursor),
      answerOf: (call, cancel) => calls.answer({ call, cancel, signal, onStep, patient }),
    });
  };
  if (!asksForAnswer(tool)) {
    return await calls.run({ tool: tool.name, signal, progress, handle: !structured && !patient }, work);
  }
  try {
    return await work(signal);
  } finally {
    progress.end();
  }
}

/** The schema of this very tool has parsed the input, which is what its `run` asks for. */
const run = (tool: RegisteredTool, parsed: Record<string, unknown>, context: ToolContext) =>
  withNotes(context.harness, () => tool.definition.run(parsed as never, context));

const noSession = (name: string): PthError =>
  new PthError("NO_SESSION", `Cannot run ${name}: no session is active`, {
    next: ["Start one with pth_start_session({ pluginPath })"],
  });

/** Notes beyond these are counted. */
const mostNotes = 10;

/** The answer, with the notes that it does not tell itself. */
export async function withNotes(
  harness: Pick<Harness, "on">,
  work: () => Promise<ToolAnswer>,
): Promise<ToolAnswer> {
  const noted = new Set<string>();
  const stop = harness.on((fact) => {
    if (fact.type === "session.noted") noted.add(fact.mcp ?? fact.message);
  });
  try {
    const answer = await work();
    const untold = [...noted].filter((note) => !answer.text.includes(note));
    const left = untold.length - mostNotes;
    return {
      ...answer,
      text: joinLines(
        answer.text,
        ...untold.slice(0, mostNotes).map((note) => `Note: ${note}`),
        left > 0 && `… ${left} more notes`,
      ),
    };
  } finally {
    stop();
  }
}
