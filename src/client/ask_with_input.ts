/**
 * A request that the server may answer with questions of its own (2026-07-28, `input_required`): they are answered as
 * those that come as requests, and the request is repeated with the answers.
 */
import { isObject } from "../core/values.ts";
import type { ClientFeatures, ServerReply } from "./client_features.ts";
import type { JsonObject } from "./rpc_message.ts";
import type { Peer, PeerRequestOptions, PeerResponse } from "./rpc_peer.ts";

/** As the SDK's own client. */
const mostRounds = 10;
/** Before a request is repeated that was put off without a question. */
const pauseMs = 250;

/** The last answer: one that asks for input still is an outcome like any other. @throws as `Peer.request` */
export async function askWithInput(
  peer: Peer,
  desk: ClientFeatures,
  method: string,
  params: JsonObject,
  options: PeerRequestOptions,
): Promise<PeerResponse> {
  let answer = await peer.request(method, params, options);
  for (let round = 1; round < mostRounds && desk.abilities.length > 0; round++) {
    const wanted = wantedInput(answer.result);
    if (wanted === undefined) break;
    const responses = respond(desk, wanted.requests);
    if (responses === undefined) break;
    const asked = Object.keys(responses).length > 0;
    if (!asked) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    const more = {
      ...(asked ? { inputResponses: responses } : {}),
      ...(wanted.state === undefined ? {} : { requestState: wanted.state }),
    };
    const last = await peer.request(method, { ...params, ...more }, options);
    answer = { ...last, durationMs: answer.durationMs + last.durationMs };
  }
  return answer;
}

function wantedInput(result: unknown): { requests: JsonObject; state: unknown } | undefined {
  if (!isObject(result) || result.resultType !== "input_required") return undefined;
  return { requests: isObject(result.inputRequests) ? result.inputRequests : {}, state: result.requestState };
}

/** Undefined where one of the questions is not offered, or was refused: the protocol has no answer that says so. */
function respond(desk: ClientFeatures, requests: JsonObject): JsonObject | undefined {
  const responses: JsonObject = {};
  for (const [key, request] of Object.entries(requests)) {
    const method = isObject(request) && typeof request.method === "string" ? request.method : "";
    const reply: ServerReply | undefined = desk.answer(method);
    if (reply === undefined || "error" in reply) return undefined;
    responses[key] = reply.result;
  }
  return responses;
}
