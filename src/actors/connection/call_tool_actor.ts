/** Slot `connection.call`: one tool call, with its progress. */
import { type EventObject, fromCallback } from "xstate";
import type { CallInput } from "../../../machines/connection_machine.ts";
import { PthError } from "../../core/errors.ts";
import { markCall } from "../tests/new_unhandled_errors.ts";
import type { GetSession } from "../promise_actor.ts";

export const callToolActor = (stage: GetSession) =>
  fromCallback<EventObject, CallInput>(({ input: { connectionId, callId, tool, input }, sendBack }) => {
    const live = stage();
    const stop = new AbortController();
    let over = false;
    const call = async () => {
      const connection = live.connections.require(connectionId);
      const noteAnswer = await markCall(connection, tool, input);
      stop.signal.throwIfAborted();
      const outcome = await connection.callTool(tool, input, {
        signal: stop.signal,
        onActivity: () => sendBack({ type: "call.progressed", callId }),
        onProgress: ({ message }) =>
          sendBack({ type: "call.progressed", callId, ...live.secrets.redact.value({ message }) }),
      });
      noteAnswer(outcome);
      return outcome;
    };
    call().finally(() => over = true).then(
      (outcome) => {
        if (!outcome.isError) {
          live.connections.lastCalls.set(connectionId, { tool, at: new Date().toISOString() });
        }
        sendBack({ type: "call.completed", callId, outcome: live.secrets.redact.value(outcome) });
      },
      (error) => {
        // A lost server is told by the watch, with its exit code and its last words.
        if (error instanceof PthError && error.code === "SERVER_LOST") return;
        if (!stop.signal.aborted) {
          sendBack({ type: "call.failed", callId, error: live.secrets.redactError(error) });
        }
      },
    );
    return () => {
      if (over) return;
      stop.abort(new PthError("INTERRUPTED", `Cannot finish call of ${tool}: it was cancelled`));
    };
  });
