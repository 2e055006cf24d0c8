/** Slot `test.check`: a check of the server as a whole, on an instance that only checks use. */
import type { CheckInput } from "../../../machines/test_machine.ts";
import type { Connection } from "../../client/connection.ts";
import { PthError } from "../../core/errors.ts";
import { runServerCheck as run } from "../../testing/check.ts";
import { registry } from "../../testing/checks/_registry.ts";
import { launcherOf } from "../../testing/launcher_of.ts";
import { oneLine } from "../../core/text.ts";
import { definedOnly } from "../../core/values.ts";
import { log } from "../../platform/log.ts";
import {
  findingsOfIncidents,
  incidentsAtStart,
  withoutLateStart,
} from "../../testing/judge/incident_findings.ts";
import { showsInternalError } from "../../testing/judge/failure_kind.ts";
import { skippingVerdict } from "../../testing/judge/failing_verdict.ts";
import type { SessionResources } from "../session_resources.ts";
import { checkContext } from "./check_context.ts";
import { keepEvidenceOfCheck } from "./keep_evidence.ts";
import { callPlace } from "../session/call_place.ts";
import { openInstance } from "../connection/open_connection.ts";
import { type GetSession, promiseActor } from "../promise_actor.ts";
import type { Finding, Verdict } from "../../../machines/model/verdict.ts";

/** Instance numbers of checks lie above those of any pool, so that HTTP ports never meet. */
const firstCheckInstance = 500;

export const runServerCheckActor = (stage: GetSession) =>
  promiseActor<Verdict, CheckInput>(
    stage,
    async (live, { planned, rules: { coverage, strict }, slowTools }, signal, tell) => {
      const check = registry.find(({ name }) => name === planned.test.check);
      if (!check) {
        throw new PthError(
          "INVALID_TEST_FILE",
          `Cannot run check: there is no check "${planned.test.check}"`,
        );
      }
      if (coverage) await live.coverage.run?.mark();
      const plan = live.plugin.requirePlan();
      const shares = check.onlyAsks === true && planned.test.config === undefined;
      const calls = check.callsTools === true;
      const retained = shares ? live.connections.takeRetained({ plan, mayBeCalled: calls }) : undefined;
      const connection = retained?.connection ?? await open(live, planned.test.config, signal);
      if ("status" in connection) return live.secrets.redact.value(connection);
      let keeps = false;
      try {
        const { type: transport, command = [] } = plan.server;
        const launcher = launcherOf(command);
        const where = { transport, isolated: callPlace(live).isolated, ...definedOnly({ launcher }) };
        const context = checkContext(connection, where, planned.timeoutMs, slowTools, signal);
        const stop = async (graceMs: number) => {
          tell({ type: "check.ending" });
          const report = await context.stop(graceMs);
          live.connections.noteEnd(connection, graceMs, report);
          return report;
        };
        const verdict = await run(check, { ...context, stop }, { strict });
        if (verdict.status === "failed") keepEvidenceOfCheck(live, planned.test.id, connection);
        keeps = shares && verdict.status !== "failed" && !signal.aborted;
        live.evidence.startLines.note(incidentsAtStart(connection.incidents(), "stdout-noise"));
        const findings = [...verdict.findings, ...newFindings(live, connection)];
        return live.secrets.redact.value({ ...verdict, findings });
      } finally {
        if (keeps) live.connections.retain(connection, plan, calls || retained?.called === true);
        else await endCheckInstance(live, connection);
        if (coverage) await live.coverage.run?.mark(planned.test.id);
      }
    },
  );

/** Number of incidents of an instance that earlier checks on it reported. */
const told = new WeakMap<Connection, number>();

/** Findings about incidents of tools that a check called; other incidents are judged by checks of their own. */
function newFindings({ evidence }: SessionResources, connection: Connection): Finding[] {
  const all = connection.incidents();
  const fresh = all.slice(told.get(connection) ?? 0);
  told.set(connection, all.length);
  const ofTools = fresh.filter(({ moment }) => "tool" in moment);
  return findingsOfIncidents(withoutLateStart(ofTools, all, evidence.startLines));
}

async function endCheckInstance(live: SessionResources, connection: Connection): Promise<void> {
  await connection.close({ graceMs: 0 });
  live.connections.forget(connection.id);
}

/** Ends the instances that checks retained for each other; after the last check of a run. */
export async function endRetainedInstances(live: SessionResources): Promise<void> {
  const endings: Promise<void>[] = [];
  for (let next = live.connections.takeRetained(); next; next = live.connections.takeRetained()) {
    const { connection } = next;
    endings.push(
      endCheckInstance(live, connection).catch((error) => {
        // The results count all the same, and the end of the environment ends the server, too.
        log.warn("Cannot end a server", { connectionId: connection.id, error });
      }),
    );
  }
  await Promise.all(endings);
}

/** Slot `test.end_retained`. */
export const endRetainedActor = (stage: GetSession) =>
  promiseActor<void, Record<never, never>>(stage, endRetainedInstances);

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
