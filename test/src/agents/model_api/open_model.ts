/** A model for the tests of one API: what it answers, and what it was asked. */
import type { Test } from "tap";
import type { ModelAnswer } from "../../../../src/agents/model_api/model_api.ts";
import { serveModel } from "../../../../src/agents/model_api/serve_model.ts";
import type { ModelRequest } from "../../../../src/agents/playbook/model_request.ts";

/** Requests are answered with these, one after the other. */
export async function openModel(t: Test, ...answers: ModelAnswer[]) {
  const seen: ModelRequest[] = [];
  const server = await serveModel((request) => {
    seen.push(request);
    return Promise.resolve(answers.shift() ?? { refused: "no answer is left" });
  });
  t.teardown(() => server.close());
  return { seen, server };
}

/** Posts a text as it is; tells the status and the begin of what is answered. */
export async function post(url: string, body: string): Promise<[number, string]> {
  const response = await fetch(url, { method: "POST", body });
  return [response.status, (await response.text()).slice(0, 400)];
}

/** A turn with all that one can have. */
export const fullTurn = {
  thinking: "Two calls.",
  text: "I look.",
  calls: [{ tool: "find", input: { word: "hat" } }, { tool: "find", input: { word: 'ü "cap"' } }],
  usage: { input_tokens: 7, output_tokens: 3, cache_read_tokens: 2, cache_write_tokens: 1 },
};

export const brokenTurn = (stream: "cut" | "stall" | "malformed"): ModelAnswer => ({
  turn: { ...fullTurn, error: { stream } },
});

/** Everything that a stream brings (`Array.fromAsync`, which Node 20 lacks). */
export async function allOf<Value>(stream: AsyncIterable<Value>): Promise<Value[]> {
  const values: Value[] = [];
  for await (const value of stream) values.push(value);
  return values;
}
