/** Requests of OpenAI's Chat Completions API, read into what playbooks see. */
import { isObject, jsonIn } from "../../core/values.ts";
import type { ModelRequest, OfferedTool, ToolResult } from "../playbook/model_request.ts";
import { openaiRole, openaiText, openaiTool } from "./openai_values.ts";

type Value = Record<string, unknown>;

export function readChatRequest(text: string): { request: ModelRequest } | { problem: string } {
  const body = jsonIn(text);
  if (!isObject(body)) return { problem: "the body is no JSON object" };
  const { model, messages, tools, stream } = body;
  if (typeof model !== "string") return { problem: "you must provide a model parameter" };
  if (!Array.isArray(messages) || messages.length === 0) {
    return { problem: "messages: at least one message is required" };
  }
  const said = messages.filter(isObject);
  const spoken = said.filter(({ role }) => role !== "tool" && role !== "function")
    .map(({ role, content }) => ({ role: openaiRole(role), text: openaiText(content) }));
  return {
    request: {
      model,
      system: spoken.filter(({ role }) => role === "system").map(({ text }) => text).join("\n"),
      tools: (Array.isArray(tools) ? tools.filter(isObject) : []).flatMap(offeredTool),
      messages: spoken,
      results: resultsIn(said),
      stream: stream === true,
      body,
    },
  };
}

function offeredTool(tool: Value): OfferedTool[] {
  const found = isObject(tool.function) ? tool.function : isObject(tool.custom) ? tool.custom : {};
  const offered = openaiTool(found);
  return offered === undefined ? [] : [offered];
}

function resultsIn(messages: readonly Value[]): ToolResult[] {
  const calls = messages.flatMap(({ tool_calls: calls }) =>
    Array.isArray(calls) ? calls.filter(isObject) : []
  );
  const names = new Map(calls.map((call) => {
    const called = isObject(call.function) ? call.function : isObject(call.custom) ? call.custom : {};
    return [call.id, String(called.name ?? "")];
  }));
  return messages.filter(({ role }) => role === "tool").map(({ tool_call_id: id, content }) => ({
    ...(typeof id === "string" ? { id } : {}),
    tool: names.get(id) ?? "",
    text: openaiText(content),
  }));
}
