/** The course of a request to a model, which is the same for all APIs: it is read, answered, and the answer written. */
import { errorMessage } from "../../core/errors.ts";
import type { HttpReply, HttpRequest } from "../../platform/http_server.ts";
import type { ModelRequest } from "../playbook/model_request.ts";
import { brokenStream } from "./broken_stream.ts";
import type { AnswerRequest, ModelAnswer, ModelTools } from "./model_api.ts";
import type { ModelTurn } from "./model_turn.ts";
import { passOn, type UpstreamWording } from "./upstream.ts";

/** Forms in which one API asks and answers. */
export interface Wording<Answer extends object> {
  /** Reads the body into what playbooks see, or says what is wrong with it in the vendor's words. */
  read(body: string): { request: ModelRequest } | { problem: string };
  /** Answer to a request that only counts tokens; absent: it takes a turn. */
  count?: (tokens: number) => object;
  /** Body of an error. */
  failure(status: number, message: string, retryAfter: number | undefined): object;
  /** The turn as one answer. */
  answer(turn: ModelTurn, request: ModelRequest): Answer;
  /** The answer as the parts of a stream, two at least. */
  stream(answer: Answer, request: ModelRequest): string[];
  /** Type of the stream unless it is of events. */
  streamType?: string;
  /** Forms for a real model that answers in PTH's place. */
  upstream(request: ModelRequest): UpstreamWording;
}

/** Texts in English come to about so many. */
const charactersPerToken = 4;

export async function replyToRequest<Answer extends object>(
  http: HttpRequest,
  answer: AnswerRequest,
  { signal }: Pick<ModelTools, "signal">,
  wording: Wording<Answer>,
): Promise<HttpReply> {
  let text: string;
  try {
    text = await http.text();
  } catch (error) {
    return json(413, wording.failure(413, errorMessage(error), undefined));
  }
  const read = wording.read(text);
  if ("problem" in read) return json(400, wording.failure(400, read.problem, undefined));
  if (wording.count !== undefined) {
    return json(200, wording.count(Math.ceil(text.length / charactersPerToken)));
  }
  const answered = await answer(read.request, signal);
  if (!("passOn" in answered)) return replyOf(answered, read.request, wording);
  const passed = await passOn(
    { path: http.path, headers: http.headers, text },
    answered.passOn,
    wording.upstream(read.request),
    signal,
  );
  return "failed" in passed ? replyOf({ refused: passed.failed }, read.request, wording) : passed;
}

const json = (status: number, body: object, headers: Record<string, string> = {}): HttpReply => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(body),
});

function replyOf<Answer extends object>(
  answered: Exclude<ModelAnswer, { passOn: unknown }>,
  request: ModelRequest,
  { failure, answer, stream: streamOf, streamType = "text/event-stream" }: Wording<Answer>,
): HttpReply {
  // Clients of the vendors' ask again unless they are told not to.
  if ("refused" in answered) {
    return json(400, failure(400, answered.refused, undefined), { "x-should-retry": "false" });
  }
  const { turn } = answered;
  const { status, message = "scripted error", retry_after, stream } = turn.error ?? {};
  if (status !== undefined) {
    const headers = retry_after === undefined ? {} : { "retry-after": String(retry_after) };
    return json(status, failure(status, message, retry_after), headers);
  }
  const whole = answer(turn, request);
  const [parts, type] = request.stream
    ? [streamOf(whole, request), streamType]
    : [[JSON.stringify(whole)], "application/json"];
  const body = stream === undefined ? parts.join("") : brokenStream(parts, stream);
  return {
    status: 200,
    headers: {
      "content-type": type,
      "cache-control": "no-cache",
      // Where a server announces that it closes, Node's clients take a cut answer for a whole one.
      ...(stream === "cut" ? { connection: "keep-alive" } : {}),
    },
    body,
  };
}

/** One event of a stream, as servers send it. */
export const serverEvent = (data: object, type?: string): string =>
  `${type === undefined ? "" : `event: ${type}\n`}data: ${JSON.stringify(data)}\n\n`;
