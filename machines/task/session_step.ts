/**
 * A step of a task that is a request to the session: the actor asks when it starts, and ends with the answer. It fails with
 * the error that the request failed with. A cancel is passed on, and the answer waited for: the session says what came of it.
 */
import { type AnyActorRef, assign, type PromiseActorLogic, sendTo, setup } from "xstate";
import { cancelledError } from "../cancelled_error.ts";
import { parentRef } from "../parent_ref.ts";
import type { BranchWork, BranchWorkRequests } from "../model/branch_work.ts";
import type { EnvironmentOperations, OperationRequests } from "../model/environment_operations.ts";
import type {
  SessionRequest,
  SessionRequests,
  StepRequest,
  UnsentRequests,
} from "../session/session_requests.ts";

interface StepInput<Request = StepRequest> {
  request: Request;
  /** The task was cancelled before: nothing is asked. */
  cancelled: boolean;
}

type StepLogic<Request, Result> = PromiseActorLogic<Result, StepInput<Request>>;
type WorkRequest<Kind extends keyof BranchWork> = { type: "session.work" } & BranchWorkRequests[Kind];

type OperationStepRequest<Kind extends keyof EnvironmentOperations> =
  & { type: "session.perform" }
  & OperationRequests[Kind];

interface StepContext extends StepInput {
  result: unknown;
}

type StepEvent =
  | { type: "request.completed"; requestId: string; result: unknown }
  | { type: "request.failed"; requestId: string; error: unknown }
  | { type: "task.cancel" };

/** The task's parent, which spawned it. */
const sessionOf = ({ self }: { self: AnyActorRef }) => parentRef({ self: parentRef({ self }) });

const raise = (error: unknown) => () => {
  throw error;
};

export const stepMachine = setup({
  types: {
    context: {} as StepContext,
    input: {} as StepInput,
    events: {} as StepEvent,
    output: {} as unknown,
  },
  guards: { isCancelled: ({ context }) => context.cancelled },
}).createMachine({
  id: "step",
  description: "A request of a task to the session, from the question to the answer.",
  context: ({ input }) => ({ ...input, result: undefined }),
  initial: "deciding",
  output: ({ context }: { context: StepContext }) => context.result,
  states: {
    deciding: {
      always: [{ guard: "isCancelled", actions: raise(cancelledError("the request")) }, { target: "asking" }],
    },
    asking: {
      entry: [
        sendTo(
          sessionOf,
          ({ context, self }) => ({ ...context.request, requestId: self.sessionId, replyTo: self }),
        ),
        sendTo(sessionOf, ({ context, self }) =>
          ({
            type: "session.expect_answer",
            request: context.request.type,
            requestId: self.sessionId,
            replyTo: self,
          }) satisfies SessionRequest),
      ],
      on: {
        "request.completed": { target: "done", actions: assign({ result: ({ event }) => event.result }) },
        "request.failed": {
          actions: ({ event }) => {
            throw event.error;
          },
        },
        "task.cancel": {
          actions: sendTo(
            sessionOf,
            ({ self }) => ({ type: "session.cancel_request", id: self.sessionId }) satisfies SessionRequest,
          ),
        },
      },
    },
    done: { type: "final" },
  },
});

/** Makes the actor of a step that is a request of this type, answered with its type's result. */
export const sessionStep = <
  Type extends Exclude<StepRequest["type"], "session.perform" | "session.work">,
>(): StepLogic<
  UnsentRequests[Type],
  SessionRequests[Type]["result"]
> => stepMachine as unknown as StepLogic<UnsentRequests[Type], SessionRequests[Type]["result"]>;

/** Makes the actor of a step that is an operation of this kind in the environment, answered with its kind's result. */
export const operationStep = <Kind extends keyof EnvironmentOperations>(): StepLogic<
  OperationStepRequest<Kind>,
  EnvironmentOperations[Kind]["result"]
> => stepMachine as unknown as StepLogic<OperationStepRequest<Kind>, EnvironmentOperations[Kind]["result"]>;

/** Makes the actor of a step that is work of this kind on the branch, answered with its kind's result. */
export const branchStep = <Kind extends keyof BranchWork>(): StepLogic<
  WorkRequest<Kind>,
  BranchWork[Kind]["result"]
> => stepMachine as unknown as StepLogic<WorkRequest<Kind>, BranchWork[Kind]["result"]>;
