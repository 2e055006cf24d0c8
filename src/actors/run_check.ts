/** Slot `test.check`: a check of the server as a whole, on an instance that nobody else uses. */
import type { PlannedTest, RunRules } from "../../machines/model/observation.ts";
import type { Verdict } from "../../machines/model/test_result.ts";
import type { Connection } from "../client/connection.ts";
import { schemaProblems } from "../client/tool_schemas.ts";
import { PthError } from "../errors.ts";
import { runCheck as run } from "../testing/check.ts";
import { registry } from "../testing/checks/_registry.ts";
import { exercise } from "../testing/exercise.ts";
import type { LiveSession } from "./live_session.ts";
import { openInstance } from "./open_connection.ts";
import { promiseActor, type Stage } from "./promise_actor.ts";

/** Instance numbers of checks lie above those of any pool, so that HTTP ports never meet. */
const firstCheckInstance = 500;

/** How long one call may take that only exercises the server. */
const exerciseLimitMs = 2000;

export const runCheck = (stage: Stage) =>
  promiseActor<Verdict, { planned: PlannedTest; rules: RunRules }>(
    stage,
    async (live, { planned }, signal) => {
      const check = registry.find(({ name }) => name === planned.test.check);
      if (!check) {
        throw new PthError(
          "INVALID_TEST_FILE",
          `Cannot run check: there is no check "${planned.test.check}"`,
        );
      }
      const number = live.checks++;
      const connection = await openInstance(live, {
        connectionId: `check-${number + 1}`,
        instance: firstCheckInstance + number,
      }, signal);
      try {
        return await run(check, {
          transport: live.requirePlan().server.type,
          tools: () => connection.listTools(),
          exercise: () => exercise(connection, signal),
          schemaProblems: (tools) => schemaProblems([...tools]),
          strayOutput: () => connection.strayOutput(),
          exercise: () => exercise(connection, live.exerciseCalls, signal),
          stop: (graceMs) => connection.close({ graceMs }),
        });
      } finally {
        await connection.close({ graceMs: 0 });
        live.connections.delete(connection.id);
      }
    },
  );

/** Calls tools one after the other; what takes long is cancelled, what breaks the server ends it. */
async function exercise(
  connection: Connection,
  calls: LiveSession["exerciseCalls"],
  signal: AbortSignal,
): Promise<void> {
  for (const { tool, input } of calls) {
    const limit = AbortSignal.timeout(exerciseLimitMs);
    try {
      await connection.callTool(tool, input, { signal: AbortSignal.any([signal, limit]) });
    } catch (error) {
      if (error !== limit.reason) throw error;
    }
  }
}
