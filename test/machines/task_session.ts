/** A parent that answers the steps of a task by a script, in the session's place. */
import {
  type AnyActorRef,
  type AnyEventObject,
  type AnyStateMachine,
  createActor,
  createMachine,
  SimulatedClock,
} from "xstate";

/** Answer of a step: its result, or the error that it fails with. */
export type StepAnswer = { result: unknown } | { error: unknown };

export interface AnsweredTask {
  /** Types of the requests that the task asked for, in order. */
  asked: string[];
  /** Every request, as it was asked. */
  requests: AnyEventObject[];
  /** Number of steps that the task cancelled. */
  cancelled(): number;
  cancel(): void;
  /** Resolves to the answer of the task. */
  ended: Promise<AnyEventObject>;
}

/**
 * Starts a task in a session that answers its steps.
 * @param answer called with each request; undefined leaves it unanswered until a cancel fails it
 */
export function answeredTask(
  machine: AnyStateMachine,
  input: object,
  answer: (request: AnyEventObject) => StepAnswer | undefined,
  clock: SimulatedClock = new SimulatedClock(),
  { ignoresCancel = false, hear: listen = () => {} }: {
    ignoresCancel?: boolean;
    /** Takes facts about what goes on. */
    hear?: (fact: AnyEventObject) => void;
  } = {},
): AnsweredTask {
  const requests: AnyEventObject[] = [];
  let cancels = 0;
  const open = new Map<string, AnyActorRef>();
  let end: (fact: AnyEventObject) => void;
  const ended = new Promise<AnyEventObject>((resolve) => end = resolve);
  const hear = (event: AnyEventObject) => {
    if (event.type.startsWith("task.")) return end(event);
    if (event.type === "session.cancel_request") {
      const id = event["id"] as string;
      cancels++;
      if (ignoresCancel) return;
      open.get(id)?.send({ type: "request.failed", requestId: id, error: new Error("cancelled") });
      return;
    }
    if (event.type.startsWith("agent_test.")) return listen(event);
    if (!event.type.startsWith("session.") || event.type === "session.expect_answer") return;
    const { requestId, replyTo } = event as AnyEventObject & { requestId: string; replyTo: AnyActorRef };
    requests.push(event);
    const given = answer(event);
    if (given === undefined) open.set(requestId, replyTo);
    else if ("error" in given) replyTo.send({ type: "request.failed", requestId, error: given.error });
    else replyTo.send({ type: "request.completed", requestId, result: given.result });
  };
  const session = createActor(
    createMachine({
      on: { "*": { actions: ({ event }) => hear(event) } },
      invoke: { id: "task", src: machine, input: { requestId: "1", caller: "1", ...input } },
    }),
    { clock },
  );
  session.start();
  const task = session.getSnapshot().children["task"] as AnyActorRef;
  return {
    get asked() {
      return requests.map(({ type }) => type);
    },
    requests,
    cancelled: () => cancels,
    cancel: () => task.send({ type: "task.cancel" }),
    ended,
  };
}
