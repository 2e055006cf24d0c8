/** Calls one tool through the whole server, with a harness that answers what the case says. */
import type { Test } from "tap";
import { wrongCalls } from "../../../scripts/checks/wrong_calls.ts";
import type { Harness, Session } from "../../../src/api/harness.ts";
import { connect, textOf } from "./connected_client.ts";

export interface AnswerCase {
  tool: string;
  input?: Record<string, unknown>;
  /** What the session answers. */
  commands?: Partial<Session>;
  rebuildImages?: Harness["rebuildImages"];
  /** What a model reads. */
  text: RegExp;
  /** What a program gets. */
  data: Record<string, unknown>;
}

/** Checks text and data of the answer, that it holds to its schema, shows no secret, and names only calls that there are. */
export async function checkAnswer(t: Test, answer: AnswerCase): Promise<void> {
  const { tool, input, commands, rebuildImages, text, data } = answer;
  const server = await connect({ ...(commands && { commands }), ...(rebuildImages && { rebuildImages }) });
  await server.call("pth_start_session", { pluginPath: "/plugins/sample" });
  // From now on the client holds each answer to its tool's outputSchema.
  await server.names();
  const result = await server.call(tool, input);
  t.notOk(result.isError, textOf(result));
  t.match(textOf(result), text);
  t.match(result.structuredContent, data);
  t.notMatch(JSON.stringify(result), "hunter2");
  t.strictSame(wrongCalls(textOf(result)), []);
  await server.hangUp();
}
