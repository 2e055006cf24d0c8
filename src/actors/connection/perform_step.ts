/** Slot `connection.perform`: one step of a test, whatever it does to the server. */
import { type EventObject, fromCallback } from "xstate";
import type { StepInput } from "../../../machines/connection_machine.ts";
import { performAction } from "../../client/perform_action.ts";
import { PthError } from "../../core/errors.ts";
import { replaceInReplies, replaceVariables } from "../../testing/format/variables.ts";
import { beginTest } from "../tests/keep_evidence.ts";
import { markCall } from "../tests/new_unhandled_errors.ts";
import type { GetSession } from "../promise_actor.ts";

export const performStep = (stage: GetSession) =>
  fromCallback<EventObject, StepInput>(({ input: { connectionId, callId, step, ...more }, sendBack }) => {
    const live = stage();
    const stop = new AbortController();
    let over = false;
    const perform = async () => {
      const connection = live.connections.require(connectionId);
      const action = replaceVariables(step.action, more.variables);
      if (more.begins) {
        beginTest(connection);
        await connection.client.begin(more.begins.roots);
      }
      const replies = step.replies && { replies: replaceInReplies(step.replies, more.variables) };
      const noteAnswer = action.kind === "call"
        ? await markCall(connection, action.tool, action.input)
        : undefined;
      stop.signal.throwIfAborted();
      const seen = await performAction(connection, { ...step, action, ...replies }, {
        signal: stop.signal,
        onActivity: () => sendBack({ type: "call.progressed", callId }),
        onProgress: ({ message }) =>
          sendBack({ type: "call.progressed", callId, ...live.secrets.redact.value({ message }) }),
      });
      // A call that the step cancelled is not waited for: what it leaves behind is its own.
      noteAnswer?.(seen.outcome ?? { isError: false, text: "" });
      if (action.kind === "call" && seen.outcome?.isError === false) {
        live.connections.lastCalls.set(connectionId, { tool: action.tool, at: new Date().toISOString() });
      }
      return seen;
    };
    perform().finally(() => over = true).then(
      (seen) => sendBack({ type: "step.performed", callId, seen: live.secrets.redact.value(seen) }),
      (error) => {
        // A lost server is told by the watch, with its exit code and its last words.
        if (error instanceof PthError && error.code === "SERVER_LOST") return;
        if (!stop.signal.aborted) {
          sendBack({ type: "call.failed", callId, error: live.secrets.redactError(error) });
        }
      },
    );
    return () => {
      if (!over) stop.abort(new PthError("INTERRUPTED", "Cannot finish the step: it was cancelled"));
    };
  });
