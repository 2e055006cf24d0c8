/** Slot `test.check`: a check of the server as a whole, on an instance that nobody else uses. */
import type { PlannedTest, RunRules } from "../../machines/model/observation.ts";
import type { Verdict } from "../../machines/model/test_result.ts";
import { schemaProblems } from "../client/tool_schemas.ts";
import { PthError } from "../errors.ts";
import { runCheck as run } from "../testing/check.ts";
import { registry } from "../testing/checks/_registry.ts";
import { exercise } from "../testing/exercise.ts";
import { keepEvidenceOfCheck } from "./keep_evidence.ts";
import { openInstance } from "./open_connection.ts";
import { promiseActor, type Stage } from "./promise_actor.ts";

/** Instance numbers of checks lie above those of any pool, so that HTTP ports never meet. */
const firstCheckInstance = 500;

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
      if (live.measuring) await live.coverage?.mark();
      const number = live.checks++;
      const connection = await openInstance(live, {
        connectionId: `check-${number + 1}`,
        instance: firstCheckInstance + number,
      }, signal);
      try {
        const verdict = await run(check, {
          transport: live.requirePlan().server.type,
          tools: () => connection.listTools(),
          exercise: () => exercise(connection, signal),
          schemaProblems: (tools) => schemaProblems([...tools]),
          strayOutput: () => connection.strayOutput(),
          stop: (graceMs) => connection.close({ graceMs }),
        });
        if (verdict.status === "failed") keepEvidenceOfCheck(live, planned.test.id, connection);
        return live.redact.value(verdict);
      } finally {
        await connection.close({ graceMs: 0 });
        live.connections.delete(connection.id);
        if (live.measuring) await live.coverage?.mark(planned.test.id);
      }
    },
  );
