/** One tool call, from its name and raw arguments to a result; the one place where errors are caught. */
import type { CallToolResult } from "@modelcontextprotocol/sdk/types";
import { PthError } from "../errors.ts";
import type { AskConfig, Step } from "../harness.ts";
import { log } from "../platform/log.ts";
import type { RegisteredTool, ToolContext } from "../tools/tool.ts";
import { notChosen, type Toolset, toolsetOf } from "../tools/toolset.ts";
import { visible } from "../visible.ts";
import type { AnswerPages } from "./answer_pages.ts";
import type { HarnessDoor } from "./harness_door.ts";
import { renderError } from "./render_error.ts";
import { validate } from "./validate.ts";
import type { WatchAddresses } from "./watch_addresses.ts";

export interface CallParts {
  door: HarnessDoor;
  toolsets: ReadonlySet<Toolset>;
  watching: WatchAddresses;
  pages: AnswerPages;
  /** Answers carry their data, too. */
  structured: boolean;
  signal: AbortSignal;
  progress(step: Step): void;
  askConfig?: AskConfig;
}

export async function callTool(
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
    const { door, toolsets: _, watching, pages, structured, ...rest } = parts;
    const harness = await door.open();
    const context = {
      ...rest,
      harness,
      watchAddress: () => watching.next(harness),
      nextPage: (cursor: string) => pages.next(cursor),
    };
    const { text, data } = await run(tool, parsed, context);
    return {
      content: [{ type: "text", text: await pages.first(visible(text)) }],
      ...(structured ? { structuredContent: data } : {}),
    };
  } catch (error) {
    if (parts.signal.aborted) log.debug("tool call cancelled", { tool: tool.name });
    else log.info("tool call failed", { tool: tool.name, error });
    const { text, details } = renderError(error, `Cannot run ${tool.name}`, log.enabled("debug"));
    return {
      isError: true,
      content: [{ type: "text", text: await parts.pages.first(text) }],
      // Not as structured content, which has to fit the tool's schema of answers.
      ...(parts.structured ? { _meta: { "pth/error": details } } : {}),
    };
  }
}

/** The schema of this very tool has parsed the input, which is what its `run` asks for. */
const run = (tool: RegisteredTool, parsed: Record<string, unknown>, context: ToolContext) =>
  tool.definition.run(parsed as never, context);

const noSession = (name: string): PthError =>
  new PthError("NO_SESSION", `Cannot run ${name}: no session is active`, {
    next: ["Start one with pth_start_session({ pluginPath })"],
  });
