/** Requests of Gemini's API, read into what playbooks see. */
import { isObject, jsonIn } from "../../core/values.ts";
import type { ModelRequest, OfferedTool, ToolResult } from "../playbook/model_request.ts";

type Value = Record<string, unknown>;

/** @param address Model and kind of answer, which this API has in the path. */
export function readGeminiRequest(
  text: string,
  address: { model: string; stream: boolean },
): { request: ModelRequest } | { problem: string } {
  const body = jsonIn(text);
  if (!isObject(body)) return { problem: "Invalid JSON payload received." };
  // Requests that only count tokens may hold a whole one.
  const { contents, tools, ...rest } = isObject(body.generateContentRequest)
    ? body.generateContentRequest
    : body;
  if (!Array.isArray(contents) || contents.length === 0) {
    return { problem: "* GenerateContentRequest.contents: contents is not specified" };
  }
  const said = contents.filter(isObject);
  return {
    request: {
      ...address,
      system: textIn(rest.systemInstruction ?? rest.system_instruction),
      tools: (Array.isArray(tools) ? tools.filter(isObject) : []).flatMap(offeredTools),
      messages: said.map((content) => ({
        role: content.role === "model" ? "assistant" : "user",
        text: textIn(content),
      })),
      results: resultsIn(said),
      body,
    },
  };
}

const partsOf = (content: unknown): Value[] =>
  isObject(content) && Array.isArray(content.parts) ? content.parts.filter(isObject) : [];

/** Texts of a content, without thoughts. */
const textIn = (content: unknown): string =>
  partsOf(content).flatMap(({ text, thought }) => typeof text === "string" && thought !== true ? [text] : [])
    .join("\n");

function offeredTools(tool: Value): OfferedTool[] {
  const declared = tool.functionDeclarations ?? tool.function_declarations;
  return (Array.isArray(declared) ? declared.filter(isObject) : []).flatMap(
    ({ name, description, ...rest }) => {
      const schema = rest.parametersJsonSchema ?? rest.parameters;
      return typeof name === "string"
        ? [{
          name,
          ...(typeof description === "string" ? { description } : {}),
          ...(isObject(schema) ? { schema } : {}),
        }]
        : [];
    },
  );
}

function resultsIn(contents: readonly Value[]): ToolResult[] {
  return contents.flatMap(partsOf).flatMap(({ functionResponse: result }) => {
    if (!isObject(result)) return [];
    const { id, name, response } = result;
    return [{ ...(typeof id === "string" ? { id } : {}), tool: String(name ?? ""), ...resultOf(response) }];
  });
}

/** A response holds an `output` or an `error`, or is the output itself: of MCP servers it is often their result. */
function resultOf(response: unknown): { text: string; isError: boolean } {
  if (!isObject(response)) return { text: textOf(response ?? ""), isError: false };
  if ("error" in response) return { text: textOf(response.error), isError: true };
  if ("output" in response) return { text: textOf(response.output), isError: false };
  if (Array.isArray(response.content)) {
    const texts = response.content.filter(isObject).map(({ text }) => text);
    if (texts.length > 0 && texts.every((text) => typeof text === "string")) {
      return { text: texts.join("\n"), isError: response.isError === true };
    }
  }
  return { text: textOf(response), isError: response.isError === true };
}

const textOf = (value: unknown): string => typeof value === "string" ? value : JSON.stringify(value);
