/** Runs of projects' own tests in place: each is a child of the harness actor, and answered once. */
import type { ActorRefFrom } from "xstate";
import type { harnessMachine } from "../../../machines/harness_machine.ts";
import type { ProjectTestAnswer } from "../../../machines/model/project_test_run.ts";
import type { Harness } from "../../api/harness.ts";
import { asPthError, PthError } from "../../core/errors.ts";
import type { EventBus } from "../event_bus.ts";
import { withProgress } from "../session/session_parts.ts";

const action = "Cannot run the tests";

export function projectTestRuns(
  actor: ActorRefFrom<typeof harnessMachine>,
  bus: EventBus,
): { run: Harness["runProjectTests"]; close(): Promise<void> } {
  const underWay = new Map<string, Promise<unknown>>();
  let isClosed = false;
  const cancel = (requestId: string) => actor.send({ type: "harness.cancel_project_tests", requestId });

  const ask = (run: Parameters<Harness["runProjectTests"]>[0], signal: AbortSignal | undefined) => {
    const requestId = crypto.randomUUID();
    const answer = new Promise<ProjectTestAnswer>((resolve, reject) => {
      const abort = () => cancel(requestId);
      const subscription = actor.on("*", (fact) => {
        if (fact.type !== "task.completed" && fact.type !== "task.failed") return;
        if (fact.requestId !== requestId) return;
        subscription.unsubscribe();
        signal?.removeEventListener("abort", abort);
        if (fact.type === "task.completed") resolve(fact.result as ProjectTestAnswer);
        else reject(overdueTests(fact.error) ?? asPthError(fact.error, action));
      });
      signal?.addEventListener("abort", abort, { once: true });
      actor.send({ type: "harness.run_project_tests", requestId, run });
      if (signal?.aborted) abort();
    });
    underWay.set(requestId, answer);
    const forget = () => void underWay.delete(requestId);
    answer.then(forget, forget);
    return answer;
  };

  return {
    async run(run, options = {}) {
      if (isClosed) throw new PthError("INTERRUPTED", `${action}: PTH is ending`);
      return await withProgress(bus, options, () => ask(run, options.signal));
    },
    /** Cancels what is under way; it has ended when this resolves. */
    async close() {
      isClosed = true;
      for (const requestId of underWay.keys()) cancel(requestId);
      await Promise.allSettled(underWay.values());
    },
  };
}

/** Error of a run whose preparation took too long, with the way out; undefined for any other. */
export function overdueTests(error: unknown): PthError | undefined {
  if (!(error instanceof Error) || error.name !== "TimeoutError") return undefined;
  return new PthError("EXEC_FAILED", error.message, {
    next: ["Prepare the project by hand once, and run its tests again"],
  }, { cause: error });
}
