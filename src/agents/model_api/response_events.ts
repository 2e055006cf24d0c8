/** An answer of OpenAI's Responses API as the events of a stream. */
import type { ModelResponse, ResponseItem } from "./model_response.ts";
import { serverEvent } from "./reply_to_request.ts";

type Event = { type: string } & Record<string, unknown>;

export function responseEvents(response: ModelResponse): string[] {
  const opening = { ...response, status: "in_progress", output: [], usage: null };
  const events: Event[] = [
    { type: "response.created", response: opening },
    { type: "response.in_progress", response: opening },
    ...response.output.flatMap((item, output_index) => [
      { type: "response.output_item.added", output_index, item: emptied(item) },
      ...contentEvents(item).map((event) => ({ ...event, output_index, item_id: item.id })),
      { type: "response.output_item.done", output_index, item },
    ]),
    { type: "response.completed", response },
  ];
  return events.map((event, sequence_number) => serverEvent({ ...event, sequence_number }, event.type));
}

function emptied(item: ResponseItem): object {
  switch (item.type) {
    case "reasoning":
      return { ...item, summary: [] };
    case "message":
      return { ...item, status: "in_progress", content: [] };
    case "function_call":
      return { ...item, status: "in_progress", arguments: "" };
    case "custom_tool_call":
      return { ...item, status: "in_progress", input: "" };
  }
}

function contentEvents(item: ResponseItem): Event[] {
  switch (item.type) {
    case "reasoning":
      return item.summary.flatMap((part, summary_index) => [
        { type: "response.reasoning_summary_part.added", summary_index, part: { ...part, text: "" } },
        { type: "response.reasoning_summary_text.delta", summary_index, delta: part.text },
        { type: "response.reasoning_summary_text.done", summary_index, text: part.text },
        { type: "response.reasoning_summary_part.done", summary_index, part },
      ]);
    case "message":
      return item.content.flatMap((part, content_index) => [
        { type: "response.content_part.added", content_index, part: { ...part, text: "" } },
        { type: "response.output_text.delta", content_index, delta: part.text, logprobs: [] },
        { type: "response.output_text.done", content_index, text: part.text, logprobs: [] },
        { type: "response.content_part.done", content_index, part },
      ]);
    case "function_call":
      return [
        { type: "response.function_call_arguments.delta", delta: item.arguments },
        { type: "response.function_call_arguments.done", arguments: item.arguments, name: item.name },
      ];
    case "custom_tool_call":
      return [
        { type: "response.custom_tool_call_input.delta", delta: item.input },
        { type: "response.custom_tool_call_input.done", input: item.input },
      ];
  }
}
