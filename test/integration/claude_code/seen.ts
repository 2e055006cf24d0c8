/** Requests to a model, read for what the model sees: tools offered, messages, answers of tools. */
import type { IncomingHttpHeaders } from "node:http";

/** One block of a message, as the Messages API writes it. */
export interface Block {
  type: string;
  text?: string;
  id?: string;
  name?: string;
  input?: Record<string, unknown>;
  tool_use_id?: string;
  content?: string | Block[];
  is_error?: boolean;
  tool_name?: string;
}

export interface Message {
  role: "user" | "assistant" | "system";
  content: string | Block[];
}

export interface OfferedTool {
  name: string;
  description?: string;
  input_schema?: Record<string, unknown>;
  /** Known by name only, until the model looks it up. */
  defer_loading?: boolean;
}

export interface ModelRequest {
  model: string;
  system: string;
  tools: OfferedTool[];
  messages: Message[];
  stream: boolean;
  /** Id of a subagent; absent for the main conversation. */
  agent?: string;
  /** Milliseconds since the model server started. */
  at: number;
}

/** A call that the model makes. */
export interface Call {
  tool: string;
  input?: Record<string, unknown>;
}

/** A tool's answer, as the model sees it. */
export interface ToolAnswer extends Required<Call> {
  text: string;
  isError: boolean;
}

export interface Seen {
  request: ModelRequest;
  /** Answers in the order of the calls. */
  answers: ToolAnswer[];
  /** The answer to the latest call. @throws {Error} before the first one */
  last: ToolAnswer;
  /** First group of the pattern's latest match in an answer. @throws {Error} where no answer has it */
  find(pattern: RegExp): string;
}

export function readRequest(body: string, headers: IncomingHttpHeaders, at: number): ModelRequest {
  const { model, system = "", tools = [], messages, stream = false } = JSON.parse(body);
  const agent = headers["x-claude-code-agent-id"];
  return {
    model,
    system: textOf(system),
    tools,
    messages,
    stream,
    at,
    ...(typeof agent === "string" ? { agent } : {}),
  };
}

/** The text of blocks, with that of blocks within them. */
export const textOf = (content: string | readonly Block[]): string =>
  typeof content === "string"
    ? content
    : content.map(({ text, content, tool_name }) => text ?? tool_name ?? textOf(content ?? "")).join("\n");

const blocksOf = ({ content }: Message): Block[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : content;

export function seenIn(request: ModelRequest): Seen {
  const blocks = request.messages.flatMap(blocksOf);
  const calls = new Map(blocks.filter(({ type }) => type === "tool_use").map((call) => [call.id, call]));
  const answers = blocks.filter(({ type }) => type === "tool_result").map((block): ToolAnswer => {
    const call = calls.get(block.tool_use_id);
    return {
      tool: call?.name ?? "",
      input: call?.input ?? {},
      text: textOf(block.content ?? ""),
      isError: block.is_error === true,
    };
  });
  return {
    request,
    answers,
    get last() {
      const last = answers.at(-1);
      if (last === undefined) throw new Error("no tool has answered yet");
      return last;
    },
    find(pattern) {
      for (const { text } of answers.toReversed()) {
        const found = text.match(pattern)?.[1];
        if (found !== undefined) return found;
      }
      throw new Error(`no answer has ${pattern}`);
    },
  };
}

/**
 * Names of the tools that the model may know in this request: those whose definitions it has, and those that Claude Code
 * names for it to look up. The names come in notes, a paragraph with a name a line, and go the same way, or all those of
 * a server in one line ("mcp__pth__* (49)"). A definition that was sent once stays, also where its tool is gone.
 */
export function offeredIn({ tools, messages }: ModelRequest): string[] {
  const named = new Set<string>();
  for (const message of messages) {
    if (message.role !== "system") continue;
    for (const paragraph of textOf(message.content).split("\n\n")) {
      const [heading = "", ...lines] = paragraph.split("\n");
      if (!/ tools .*available/.test(heading)) continue;
      for (const line of lines) {
        const name = line.replace(/^- /, "").trim();
        if (!/no longer/.test(heading)) named.add(name);
        else for (const each of [...named].filter(goneWith(name))) named.delete(each);
      }
    }
  }
  return [...new Set([...tools.map(({ name }) => name), ...named])];
}

const goneWith = (note: string) => (name: string): boolean => {
  const prefix = /^(.*)\* \(\d+\)$/.exec(note)?.[1];
  return prefix === undefined ? name === note : name.startsWith(prefix);
};
