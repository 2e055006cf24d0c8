/** A request to a model as playbooks see it, whichever API it came through. */
import { fitsGlob } from "../../../machines/playbook/fits_glob.ts";

export interface OfferedTool {
  name: string;
  description?: string;
  schema?: Record<string, unknown>;
}

/** Answer of a tool to a call that the model made before. */
export interface ToolResult {
  /** Id of the call; absent where the agent does not repeat it. */
  id?: string;
  tool: string;
  text: string;
  /** Absent where the API does not tell it. */
  isError?: boolean;
}

export interface RequestMessage {
  role: "user" | "assistant" | "system";
  /** All texts, without calls and results. */
  text: string;
}

export interface ModelRequest {
  model: string;
  system: string;
  tools: OfferedTool[];
  messages: RequestMessage[];
  /** In the order in which they came. */
  results: ToolResult[];
  stream: boolean;
  /** Id of the subagent that asks; absent: the main conversation. */
  agent?: string;
  /** Body as it came. */
  body: Record<string, unknown>;
}

/** The last message of the user that has a text. */
export const promptOf = ({ messages }: ModelRequest): string =>
  messages.findLast(({ role, text }) => role === "user" && text !== "")?.text ?? "";

/** The latest result of a tool that fits the glob. */
export const resultOf = (tool: string | undefined, results: readonly ToolResult[]): ToolResult | undefined =>
  results.findLast((each) => tool === undefined || fitsGlob(tool, each.tool));
