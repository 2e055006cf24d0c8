/** Requests of OpenAI's Responses API, read into what playbooks see. */
import { isObject, jsonIn } from "../../core/values.ts";
import type { ModelRequest, OfferedTool, ToolResult } from "../playbook/model_request.ts";
import type { EarlierAnswer } from "./model_api.ts";
import { openaiRole, openaiText, openaiTool } from "./openai_values.ts";

type Value = Record<string, unknown>;

/** Parameters that PTH does not serve. */
const unserved = ["background", "conversation", "prompt"];

export function readResponsesRequest(
  text: string,
  earlier: ReadonlyMap<string, EarlierAnswer>,
): { request: ModelRequest } | { problem: string } {
  const body = jsonIn(text);
  if (!isObject(body)) return { problem: "the body is no JSON object" };
  const { model, input, instructions, previous_response_id: previous, stream } = body;
  if (typeof model !== "string") return { problem: "Missing required parameter: 'model'." };
  if ((typeof input !== "string" && !Array.isArray(input)) || input.length === 0) {
    return { problem: "Missing required parameter: 'input'." };
  }
  const found = unserved.find((key) => (body[key] ?? false) !== false);
  if (found !== undefined) return { problem: `'${found}' is not served by PTH` };
  if (typeof previous === "string" && !earlier.has(previous)) {
    return { problem: `Previous response with id '${previous}' not found.` };
  }
  const before = typeof previous === "string" ? itemsUntil(earlier.get(previous)) : [];
  const items = [...before, ...inputItems(input)].filter(isObject);
  const spoken = items.filter(isMessage)
    .map(({ role, content }) => ({ role: openaiRole(role), text: openaiText(content) }));
  return {
    request: {
      model,
      system: [
        ...(typeof instructions === "string" ? [instructions] : []),
        ...spoken.filter(({ role }) => role === "system").map(({ text }) => text),
      ].join("\n"),
      tools: offeredTools(body).map(({ offered }) => offered),
      messages: spoken,
      results: resultsIn(items),
      stream: stream === true,
      body,
    },
  };
}

/** Items of this request alone. */
export const inputItems = (input: unknown): unknown[] =>
  Array.isArray(input) ? input : [{ type: "message", role: "user", content: input }];

function itemsUntil(last: EarlierAnswer | undefined): unknown[] {
  const answers: EarlierAnswer[] = [];
  for (let each = last; each !== undefined; each = each.before) answers.push(each);
  return answers.reverse().flatMap(({ items }) => items);
}

const isMessage = ({ type, role }: Value): boolean =>
  type === "message" || (type === undefined && role !== undefined);

/** Tool with the form in which it was offered, which decides how it is called. */
export interface ResponsesTool {
  offered: OfferedTool;
  name: string;
  /** Group of tools that the agent offers under one name. */
  namespace?: string;
  /** Takes a text in place of arguments. */
  custom: boolean;
}

/** Offered tools; those of a group have its name before theirs. */
export function offeredTools({ tools }: Value): ResponsesTool[] {
  return (Array.isArray(tools) ? tools.filter(isObject) : []).flatMap((tool) => {
    if (tool.type !== "namespace" || !Array.isArray(tool.tools) || typeof tool.name !== "string") {
      return responsesTool(tool);
    }
    const namespace = tool.name;
    return tool.tools.filter(isObject).flatMap(responsesTool).map((each) => ({
      ...each,
      namespace,
      offered: { ...each.offered, name: toolInGroup(namespace, each.name) },
    }));
  });
}

/** Name of a tool of a group as agents and playbooks write it. */
export const toolInGroup = (namespace: unknown, name: unknown): string =>
  typeof namespace === "string" ? `${namespace}__${name}` : String(name ?? "");

function responsesTool(tool: Value): ResponsesTool[] {
  const offered = openaiTool(tool);
  return offered === undefined ? [] : [{ offered, name: offered.name, custom: tool.type === "custom" }];
}

function resultsIn(items: readonly Value[]): ToolResult[] {
  const names = new Map(
    items.filter(({ type }) => type === "function_call" || type === "custom_tool_call")
      .map(({ call_id: id, name, namespace }) => [id, toolInGroup(namespace, name)]),
  );
  return items.filter(({ type }) => type === "function_call_output" || type === "custom_tool_call_output")
    .map(({ call_id: id, output }) => ({
      ...(typeof id === "string" ? { id } : {}),
      tool: names.get(id) ?? "",
      text: openaiText(output),
    }));
}
