/** Calls one tool through the whole server, with a harness that answers what the case says. */
import tap, { type Test } from "tap";
import { wrongCalls } from "../../../scripts/checks/wrong_calls.ts";
import type { Harness } from "../../../src/api/harness.ts";
import { toolsets } from "../../../src/tools/toolset.ts";
import { connect, type Connected, textOf } from "./connected_client.ts";
import type { Script } from "./scripted_harness.ts";
import type { ScriptedSession } from "./scripted_harness.ts";

export interface AnswerCase {
  tool: string;
  input?: Record<string, unknown>;
  /** What the session answers. */
  commands?: ScriptedSession;
  rebuildImages?: Harness["rebuildImages"];
  /** What a model reads. */
  text: RegExp;
  /** What a program gets. */
  data: Record<string, unknown>;
}

/** One server for all cases of a file: the SDK's client compiles the schemas of all answers once for each connection. */
const script: Script = { rebuildImages: (...args) => current.rebuildImages!(...args) };
let current: AnswerCase;
let opened: Promise<Connected> | undefined;

async function open(): Promise<Connected> {
  const server = await connect(script, { toolsets: new Set(toolsets) });
  // Files share a process: the next one opens another.
  tap.teardown(() => {
    opened = undefined;
    return server.hangUp();
  });
  await server.call("pth_start_session", { pluginPath: "/plugins/sample" });
  // From now on the client holds each answer to its tool's outputSchema.
  await server.names();
  return server;
}

/** Checks text and data of the answer, that it holds to its schema, shows no secret, and names only calls that there are. */
export async function checkAnswer(t: Test, answer: AnswerCase): Promise<void> {
  const { tool, input, commands, text, data } = answer;
  const server = await (opened ??= open());
  current = answer;
  script.commands = commands ?? {};
  const result = await server.call(tool, input);
  t.notOk(result.isError, textOf(result));
  t.match(textOf(result), text);
  t.match(result.structuredContent, data);
  t.notMatch(JSON.stringify(result), "hunter2");
  t.strictSame(wrongCalls(textOf(result)), []);
}
