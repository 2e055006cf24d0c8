import type { JudgeInput } from "../../../machines/test_machine.ts";
import type { TestCase } from "../../../machines/model/test_case.ts";
import type { Connection } from "../../client/connection.ts";
import type { Incident } from "../../client/incidents.ts";
import { asPthError } from "../../core/errors.ts";
import {
  findingsOfIncidents,
  incidentsAtStart,
  withoutLateStart,
} from "../../testing/judge/incident_findings.ts";
import { judge } from "../../testing/judge/judge.ts";
import { judgeSteps } from "../../testing/judge/judge_steps.ts";
import type { JudgedObservation } from "../../testing/judge/failing_verdict.ts";
import { keepEvidence } from "./keep_evidence.ts";
import type { SessionResources } from "../session_resources.ts";
import { newUnhandledErrors } from "./new_unhandled_errors.ts";
import { type GetSession, promiseActor } from "../promise_actor.ts";
import type { Finding, Verdict } from "../../../machines/model/verdict.ts";

export const judgeTest = (stage: GetSession) =>
  promiseActor<Verdict, JudgeInput>(stage, async (live, input) => {
    const { planned: { test }, rules: { strict, coverage }, observation, connectionId } = input;
    const { callError, ...rest } = observation;
    if (coverage) await live.coverage.run?.mark(test.id);
    const tool = live.plugin.tools.find(({ name }) => name === test.tool);
    // Now: a connection that was lost is forgotten in a moment.
    const connection = connectionId === undefined ? undefined : live.connections.open.get(connectionId);
    for (const each of live.connections.open.values()) {
      live.evidence.startLines.note(incidentsAtStart(each.incidents(), "stdout-noise"));
    }
    const { strayOutput, ofFirstCall, started, findings } = newIncidents(live, connection, test);
    findings.push(...newUnhandledErrors(connection, test));
    const seen: JudgedObservation = {
      ...rest,
      strayOutput,
      ...(tool === undefined ? {} : { tool }),
      ...(callError === undefined ? {} : { callError: errorFacts(callError) }),
    };
    const judged = test.steps === undefined ? judge(test, seen, { strict }) : judgeSteps(test, seen);
    const noise = judged.noise && { noise: { ...judged.noise, firstCall: ofFirstCall, started } };
    const verdict = live.secrets.redact.value({
      ...judged,
      ...noise,
      findings: [...judged.findings, ...findings],
    });
    await keepEvidence(live, input, connection, strayOutput, verdict);
    return verdict;
  });

function errorFacts(error: unknown): { code: string; message: string } {
  const { code, message, context } = asPthError(error);
  return { code, message: [message, context.output?.trim().slice(-2000)].filter(Boolean).join("\n") };
}

/** Number of incidents of a connection that earlier tests reported. */
const told = new WeakMap<Connection, number>();

interface NewIncidents {
  /** Lines on stdout that the test's own tool wrote. */
  strayOutput: string[];
  /** Number of these lines, from the first on, that came with the first call of the connection. */
  ofFirstCall: number;
  /** Lines on stdout before that call. */
  started: string[];
  /** All else, of this tool or of the one called before. */
  findings: Finding[];
}

/**
 * Incidents of a connection since the last test on it. Those of a start are the business of checks, which come with generated
 * tests: only a test by hand may be the first to meet them.
 */
function newIncidents(
  { evidence }: SessionResources,
  connection: Connection | undefined,
  { tool, steps, generatedFrom }: TestCase,
): NewIncidents {
  if (!connection) return { strayOutput: [], ofFirstCall: 0, started: [], findings: [] };
  const all = connection.incidents();
  const fresh = all.slice(told.get(connection) ?? 0)
    .filter(({ moment }) => moment.phase !== "start" || generatedFrom === "manual");
  told.set(connection, all.length);
  const isOwn = ({ code, moment }: Incident) =>
    code === "stdout-noise" && (steps !== undefined || ("tool" in moment && moment.tool === tool));
  const own = fresh.filter(isOwn);
  return {
    strayOutput: own.map(({ detail }) => detail),
    ofFirstCall: own.filter(({ firstCall }) => firstCall).length,
    started: incidentsAtStart(all, "stdout-noise"),
    findings: findingsOfIncidents(
      withoutLateStart(fresh.filter((incident) => !isOwn(incident)), all, evidence.startLines),
    ),
  };
}
