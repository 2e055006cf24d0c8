/** What leaves an actor tells no secret: neither results nor errors. */
import t from "tap";
import { createActor, toPromise } from "xstate";
import { callToolActor } from "../../../src/actors/connection/call_tool_actor.ts";
import { performOperation } from "../../../src/actors/environment/perform_operation.ts";
import { closingActor } from "../../../src/actors/promise_actor.ts";
import type { Connection } from "../../../src/client/connection.ts";
import { PthError } from "../../../src/core/errors.ts";
import { firstEvent, giveEnvironment, liveSession } from "./live.ts";

const secret = "tulip-mania-1637";
const refused = () =>
  Promise.reject(
    new PthError("PROTOCOL_VIOLATION", `Cannot go on: ${secret}`, {
      output: `key ${secret}`,
      tried: [secret],
    }),
  );

const tells = (value: unknown): boolean => {
  const error = value as PthError;
  return JSON.stringify([value, error.message, error.context]).includes(secret);
};

t.test("a call that fails, and its progress", async (t) => {
  const { live } = liveSession({ KEY: secret });
  const connection: Partial<Connection> = {
    stderrTail: () => "",
    callTool(_tool, _input, options) {
      options?.onProgress?.({ progress: 1, message: `reading ${secret}` });
      return refused();
    },
  };
  live.connections.open.set("c1", connection as Connection);
  const input = { connectionId: "c1", callId: "1", tool: "x", input: {} };
  const progressed = await firstEvent(callToolActor(() => live), input, "call.progressed");
  t.equal(progressed["message"], "reading [REDACTED]");
  const failed = await firstEvent(callToolActor(() => live), input, "call.failed");
  t.notOk(tells(failed["error"]));
  t.match(failed["error"], { code: "PROTOCOL_VIOLATION", context: { output: "key [REDACTED]" } });
});

t.test("work in the environment that fails or answers", async (t) => {
  const { live } = liveSession({ KEY: secret });
  giveEnvironment(live, { copyIn: refused, logs: () => Promise.resolve(`exec ${secret}`) });
  const operation = (kind: string) => ({ operation: { requestId: "1", kind, args: { tail: 1 } } });
  const done = ["operation.completed", "operation.failed"];
  const copied = await firstEvent(performOperation(() => live), operation("copy_in"), ...done);
  t.equal(copied.type, "operation.failed");
  t.notOk(tells(copied["error"]));
  const logs = await firstEvent(performOperation(() => live), operation("logs"), ...done);
  t.equal(logs["output"], "exec [REDACTED]");
});

t.test("a step of tearing down that fails", async (t) => {
  const { live } = liveSession({ KEY: secret });
  const actor = createActor(closingActor<void, undefined>(() => live, refused), { input: undefined });
  // The rejection is what is looked at.
  actor.subscribe({ error: () => {} });
  const ended = toPromise(actor);
  actor.start();
  const error = await ended.then(() => undefined, (error) => error);
  t.equal(error.code, "PROTOCOL_VIOLATION");
  t.notOk(tells(error));
});
