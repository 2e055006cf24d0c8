/** Answers of OpenAI's Responses API. */
import type { ModelRequest } from "../playbook/model_request.ts";
import type { ModelTools } from "./model_api.ts";
import type { ModelTurn } from "./model_turn.ts";
import { createdAt, openaiTokens } from "./openai_values.ts";
import { inputItems, offeredTools } from "./read_responses_request.ts";

/** Answers that are kept for requests that continue them: the latest of as many conversations at once. */
const mostEarlier = 200;

export type ResponseItem =
  | { type: "reasoning"; id: string; summary: { type: "summary_text"; text: string }[] }
  | {
    type: "message";
    id: string;
    status: string;
    role: "assistant";
    content: { type: "output_text"; text: string; annotations: []; logprobs: [] }[];
  }
  | {
    type: "function_call";
    id: string;
    call_id: string;
    name: string;
    namespace?: string;
    arguments: string;
    status: string;
  }
  | { type: "custom_tool_call"; id: string; call_id: string; name: string; input: string; status: string };

export type ModelResponse = ReturnType<typeof modelResponse>;

export function modelResponse(
  turn: ModelTurn,
  { model, body }: ModelRequest,
  { newId, earlier }: ModelTools,
) {
  const { input, output: out, cached, total } = openaiTokens(turn.usage);
  const id = newId("resp");
  const output = itemsOf(turn, body, newId);
  const previous = typeof body.previous_response_id === "string" ? body.previous_response_id : null;
  keepAnswer(id, body, output, earlier);
  return {
    id,
    object: "response",
    created_at: createdAt,
    status: "completed",
    error: null,
    incomplete_details: null,
    instructions: body.instructions ?? null,
    metadata: {},
    model,
    output,
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    previous_response_id: previous,
    temperature: 1,
    tool_choice: body.tool_choice ?? "auto",
    tools: body.tools ?? [],
    top_p: 1,
    usage: {
      input_tokens: input,
      input_tokens_details: { cached_tokens: cached },
      output_tokens: out,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: total,
    },
  };
}

/** Keeps an answer for requests that continue it. */
export function keepAnswer(
  id: string,
  body: Record<string, unknown>,
  output: readonly unknown[],
  earlier: ModelTools["earlier"],
): void {
  if (body.store === false) return;
  const { previous_response_id: previous } = body;
  earlier.set(id, {
    before: typeof previous === "string" ? earlier.get(previous) : undefined,
    items: [...inputItems(body.input), ...output],
  });
  if (earlier.size > mostEarlier) earlier.delete(earlier.keys().next().value!);
}

function itemsOf(
  { thinking, text, calls = [] }: ModelTurn,
  body: Record<string, unknown>,
  newId: (kind: string) => string,
): ResponseItem[] {
  const tools = offeredTools(body);
  const status = "completed";
  return [
    ...(thinking === undefined ? [] : [{
      type: "reasoning" as const,
      id: newId("rs"),
      summary: [{ type: "summary_text" as const, text: thinking }],
    }]),
    ...(text === undefined ? [] : [{
      type: "message" as const,
      id: newId("msg"),
      status,
      role: "assistant" as const,
      content: [{ type: "output_text" as const, text, annotations: [] as [], logprobs: [] as [] }],
    }]),
    ...calls.map(({ id: call_id = newId("call"), tool, input = {} }): ResponseItem => {
      const known = tools.find(({ offered }) => offered.name === tool);
      const name = known?.name ?? tool;
      if (known?.custom) {
        const text = typeof input.input === "string" ? input.input : JSON.stringify(input);
        return { type: "custom_tool_call", id: newId("ctc"), call_id, name, input: text, status };
      }
      return {
        type: "function_call",
        id: newId("fc"),
        call_id,
        name,
        ...(known?.namespace === undefined ? {} : { namespace: known.namespace }),
        arguments: JSON.stringify(input),
        status,
      };
    }),
  ];
}
