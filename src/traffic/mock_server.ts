/**
 * A server that answers from a recording, for work without the real one: the same answers, in the same order, with the
 * notifications and questions that came before them.
 */
import { isObject } from "../core/values.ts";
import {
  canonicalParams,
  type McpRecording,
  ownParams,
  type RecordedRequest,
  requestsOf,
} from "./read_traffic_recording.ts";

type Message = Record<string, unknown>;

/** JSON-RPC: the parameters are such that nothing is known of them. */
const invalidParams = -32602;
const methodNotFound = -32601;

interface MockServer {
  /** One message of the client. */
  receive(message: Message): void;
}

/** @param send Takes each message for the client. */
export function createMockServer(recording: McpRecording, send: (message: Message) => void): MockServer {
  const requests = requestsOf(recording.messages);
  const turns = new Map<string, number>();
  /** Questions of the server that the client has not answered, by their id. */
  const asked = new Map<unknown, () => void>();
  let questions = 0;

  /** Equal requests get the answers in the order of the recording, and the last of them again and again. */
  function find(method: string, params: Message): RecordedRequest | undefined {
    const key = canonicalParams([method, ownParams(params)]);
    const fitting = requests.filter((each) =>
      each.answer && each.method === method &&
      (method === "initialize" || canonicalParams([each.method, ownParams(each.params)]) === key)
    );
    const turn = turns.get(key) ?? 0;
    turns.set(key, turn + 1);
    return fitting[Math.min(turn, fitting.length - 1)];
  }

  async function answer(id: unknown, method: string, params: Message): Promise<void> {
    const found = find(method, params);
    if (!found) {
      send({ jsonrpc: "2.0", id, ...unknownRequest(requests, method, params) });
      return;
    }
    const token = isObject(params._meta) ? params._meta.progressToken : undefined;
    for (const message of found.meanwhile) await say(message, token);
    send({ ...found.answer, id });
  }

  /** A question waits for the client's answer, as the server did. */
  function say(message: Message, token: unknown): Promise<void> {
    if (message.id === undefined) {
      const params = isObject(message.params) ? message.params : {};
      const told = "progressToken" in params
        ? { ...message, params: { ...params, progressToken: token } }
        : message;
      if (!("progressToken" in params) || token !== undefined) send(told);
      return Promise.resolve();
    }
    const id = `stand-in-${++questions}`;
    return new Promise((resolve) => {
      asked.set(id, resolve);
      send({ ...message, id });
    });
  }

  return {
    receive(message) {
      const { id, method, params } = message;
      if (typeof method !== "string") {
        asked.get(id)?.();
        asked.delete(id);
      } else if (id !== undefined) {
        void answer(id, method, isObject(params) ? params : {});
      }
    },
  };
}

function unknownRequest(requests: readonly RecordedRequest[], method: string, params: Message): Message {
  if (method === "ping") return { result: {} };
  const same = requests.filter((each) => each.method === method && each.answer);
  if (same.length === 0) {
    const methods = [...new Set(requests.map((each) => each.method))].join(", ");
    return failure(methodNotFound, `The recording has no ${method}; it has: ${methods}`);
  }
  const { name } = params;
  const ofTool = same.filter((each) => each.params.name === name);
  const near = (ofTool.length > 0 ? ofTool : same).slice(0, 3)
    .map((each) => canonicalParams(ownParams(each.params)).slice(0, 200));
  return failure(
    invalidParams,
    `The recording has no ${method} with ${canonicalParams(ownParams(params)).slice(0, 500)}; nearest: ${
      near.join(" | ")
    }`,
  );
}

const failure = (code: number, message: string): Message => ({ error: { code, message } });
