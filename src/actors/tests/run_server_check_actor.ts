/** Slot `test.check`: a check of the server as a whole, on an instance that nobody else uses. */
import type { PlannedTest, RunRules } from "../../../machines/model/observation.ts";
import type { Connection } from "../../client/connection.ts";
import { PthError } from "../../core/errors.ts";
import { runServerCheck as run } from "../../testing/check.ts";
import { registry } from "../../testing/checks/_registry.ts";
import { oneLine } from "../../core/text.ts";
import { callEveryTool } from "../../testing/generate/call_every_tool.ts";
import { showsInternalError } from "../../testing/judge/failure_kind.ts";
import { allSchemaProblems } from "../../testing/generate/all_schema_problems.ts";
import { skippingVerdict } from "../../testing/judge/failing_verdict.ts";
import type { SessionResources } from "../session_resources.ts";
import { keepEvidenceOfCheck } from "./keep_evidence.ts";
import { openInstance } from "../connection/open_connection.ts";
import { type GetSession, promiseActor } from "../promise_actor.ts";
import type { Verdict } from "../../../machines/model/verdict.ts";

/** Instance numbers of checks lie above those of any pool, so that HTTP ports never meet. */
const firstCheckInstance = 500;

export const runServerCheckActor = (stage: GetSession) =>
  promiseActor<Verdict, { planned: PlannedTest; rules: RunRules }>(
    stage,
    async (live, { planned, rules: { coverage } }, signal) => {
      const check = registry.find(({ name }) => name === planned.test.check);
      if (!check) {
        throw new PthError(
          "INVALID_TEST_FILE",
          `Cannot run check: there is no check "${planned.test.check}"`,
        );
      }
      if (coverage) await live.coverage.run?.mark();
      const connection = await open(live, planned.test.config, signal);
      if ("status" in connection) return live.secrets.redact.value(connection);
      try {
        const verdict = await run(check, {
          transport: live.plugin.requirePlan().server.type,
          tools: () => connection.listTools(),
          exercise: () => callEveryTool(connection, signal),
          schemaProblems: allSchemaProblems,
          strayOutput: () => connection.strayOutput(),
          stop: (graceMs) => connection.close({ graceMs }),
        });
        if (verdict.status === "failed") keepEvidenceOfCheck(live, planned.test.id, connection);
        return live.secrets.redact.value(verdict);
      } finally {
        await connection.close({ graceMs: 0 });
        live.connections.open.delete(connection.id);
        if (coverage) await live.coverage.run?.mark(planned.test.id);
      }
    },
  );

/** An instance of the check's own; with other values of options, one that refuses them is no failure. */
async function open(
  live: SessionResources,
  config: Record<string, string> | undefined,
  signal: AbortSignal,
): Promise<Connection | Verdict> {
  const number = live.connections.nextCheck();
  const instance = { connectionId: `check-${number + 1}`, instance: firstCheckInstance + number };
  if (config === undefined) return await openInstance(live, instance, signal);
  const plan = live.plugin.requirePlan();
  const { server } = plan;
  const configured = { ...plan, server: { ...server, env: { ...server.env, ...config } } };
  try {
    return await openInstance(live, instance, signal, {
      plan: configured,
      tools: live.plugin.tools,
      era: live.plugin.era,
    });
  } catch (error) {
    const words = error instanceof PthError && error.code === "START_FAILED"
      ? String(error.context.output ?? "")
      : undefined;
    // A server may need another option beside this one, and says so; a trace of its code is a fault.
    if (words === undefined || words.trim() === "" || showsInternalError(words)) throw error;
    return skippingVerdict(`refused: needs more than ${Object.keys(config).join(", ")}: ${oneLine(words)}`);
  }
}
