/** A model of one's own for Claude Code: Anthropic's Messages API on the loopback, which plays turns from a script. */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Test } from "tap";
import { type Call, type ModelRequest, readRequest, type Seen, seenIn } from "./seen.ts";

/** Words and calls of the model in one turn; without calls the conversation ends there. */
export interface Turn {
  text?: string;
  calls?: Call[];
}

/** A turn as it is, or made of what the model was sent so far. */
export type Play = Turn | ((seen: Seen) => Turn);

/** One conversation: its turns are played to the requests that it is for, in order. */
export interface Lane {
  /** Absent: every request that no earlier lane takes. */
  takes?(request: ModelRequest): boolean;
  turns: readonly Play[];
}

export interface ModelServer {
  /** Value for `ANTHROPIC_BASE_URL`. */
  url: string;
  /** Every message request, in the order of their arrival. */
  requests: ModelRequest[];
  /** Faults on the model's side: a play that threw, a request that no turn was left for. */
  faults: string[];
}

/** Starts it; it ends with the test. */
export async function startModelServer(
  t: Pick<Test, "teardown">,
  ...lanes: readonly Lane[]
): Promise<ModelServer> {
  const requests: ModelRequest[] = [];
  const faults: string[] = [];
  const played = lanes.map(() => 0);
  const started = performance.now();

  function answer(request: ModelRequest): Turn {
    const lane = lanes.findIndex(({ takes }) => takes?.(request) ?? true);
    const play = lanes[lane]?.turns[played[lane]!++];
    if (play === undefined) {
      faults.push(`request ${requests.length}: no turn is left for it`);
      return { text: "The script has ended." };
    }
    try {
      return typeof play === "function" ? play(seenIn(request)) : play;
    } catch (error) {
      faults.push(`request ${requests.length}: ${(error as Error).message}`);
      return { text: "The script failed." };
    }
  }

  const server = createServer((incoming, response) => {
    const chunks: Uint8Array[] = [];
    incoming.on("data", (chunk: Uint8Array) => chunks.push(chunk));
    incoming.on("end", () => {
      const { pathname } = new URL(incoming.url ?? "/", "http://loopback");
      if (incoming.method !== "POST" || pathname !== "/v1/messages") {
        response.writeHead(incoming.method === "HEAD" ? 200 : 404).end();
        return;
      }
      const body = new TextDecoder().decode(concatenated(chunks));
      const request = readRequest(body, incoming.headers, performance.now() - started);
      requests.push(request);
      const turn = answer(request);
      if (request.stream) stream(response, request.model, turn);
      else {response.setHeader("content-type", "application/json").end(
          JSON.stringify(whole(request.model, turn)),
        );}
    });
  });
  // A call of a tool takes long at times; a connection that was closed meanwhile would cost a retry.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests, faults };
}

const usage = { input_tokens: 10, output_tokens: 5 };
const stopReason = ({ calls = [] }: Turn): string => calls.length > 0 ? "tool_use" : "end_turn";

const blocksOf = ({ text, calls = [] }: Turn): Record<string, unknown>[] => [
  ...(text === undefined ? [] : [{ type: "text", text }]),
  ...calls.map(({ tool, input = {} }) => ({ type: "tool_use", id: newId("toolu"), name: tool, input })),
];

const whole = (model: string, turn: Turn) => ({
  id: newId("msg"),
  type: "message",
  role: "assistant",
  model,
  content: blocksOf(turn),
  stop_reason: stopReason(turn),
  stop_sequence: null,
  usage,
});

/** Answers as server-sent events, which is what Claude Code asks for. */
function stream(response: ServerResponse, model: string, turn: Turn): void {
  const send = (type: string, data: object) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  send("message_start", { message: { ...whole(model, turn), content: [], stop_reason: null } });
  for (const [index, block] of blocksOf(turn).entries()) {
    const [empty, delta] = block.type === "text"
      ? [{ ...block, text: "" }, { type: "text_delta", text: block.text }]
      : [{ ...block, input: {} }, { type: "input_json_delta", partial_json: JSON.stringify(block.input) }];
    send("content_block_start", { index, content_block: empty });
    send("content_block_delta", { index, delta });
    send("content_block_stop", { index });
  }
  send("message_delta", { delta: { stop_reason: stopReason(turn), stop_sequence: null }, usage });
  send("message_stop", {});
  response.end();
}

const newId = (kind: string): string => `${kind}_${crypto.randomUUID().replaceAll("-", "").slice(0, 24)}`;

function concatenated(chunks: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}
