/** Requests of Anthropic's Messages API, read into what playbooks see. */
import { isObject, jsonIn } from "../../core/values.ts";
import type { ModelRequest, OfferedTool, RequestMessage, ToolResult } from "../playbook/model_request.ts";

interface Block {
  type?: unknown;
  text?: unknown;
  id?: unknown;
  name?: unknown;
  tool_use_id?: unknown;
  content?: unknown;
  is_error?: unknown;
}

/** @param agent Value of the header that names a subagent of Claude Code. */
export function readMessagesRequest(
  text: string,
  agent: string | string[] | undefined,
): { request: ModelRequest } | { problem: string } {
  const body = jsonIn(text);
  if (!isObject(body)) return { problem: "the body is no JSON object" };
  const { model, messages, system = "", tools = [], stream = false } = body;
  if (typeof model !== "string") return { problem: "model: a string is required" };
  if (!Array.isArray(messages) || messages.length === 0) {
    return { problem: "messages: at least one message is required" };
  }
  return {
    request: {
      model,
      system: textOf(system),
      tools: (Array.isArray(tools) ? tools : []).flatMap(toolOf),
      messages: messages.flatMap(messageOf),
      results: resultsIn(messages),
      stream: stream === true,
      body,
      ...(typeof agent === "string" ? { agent } : {}),
    },
  };
}

const blocksOf = (content: unknown): Block[] =>
  typeof content === "string"
    ? [{ type: "text", text: content }]
    : Array.isArray(content)
    ? content.filter(isObject)
    : [];

/** Text of blocks, without calls and results. */
const textOf = (content: unknown): string =>
  blocksOf(content).flatMap(({ text }) => typeof text === "string" ? [text] : []).join("\n");

function toolOf(tool: unknown): OfferedTool[] {
  if (!isObject(tool) || typeof tool.name !== "string") return [];
  const { name, description, input_schema: schema } = tool;
  return [{
    name,
    ...(typeof description === "string" ? { description } : {}),
    ...(isObject(schema) ? { schema } : {}),
  }];
}

function messageOf(message: unknown): RequestMessage[] {
  if (!isObject(message)) return [];
  const { role, content } = message;
  return [{ role: role === "assistant" || role === "system" ? role : "user", text: textOf(content) }];
}

function resultsIn(messages: readonly unknown[]): ToolResult[] {
  const blocks = messages.filter(isObject).flatMap(({ content }) => blocksOf(content));
  const tools = new Map(
    blocks.filter(({ type }) => type === "tool_use").map(({ id, name }) => [id, String(name)]),
  );
  return blocks.filter(({ type }) => type === "tool_result").map((block) => ({
    ...(typeof block.tool_use_id === "string" ? { id: block.tool_use_id } : {}),
    tool: tools.get(block.tool_use_id) ?? "",
    text: textOf(block.content),
    isError: block.is_error === true,
  }));
}
