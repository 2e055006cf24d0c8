/** Requests of prompt-driven tests: begin one, work in it, close it. */
import type { AgentRunEnd } from "../../../machines/model/agent_run.ts";
import type { SessionFact } from "../../../machines/session_machine.ts";
import type { PlannedTest } from "../../../machines/model/observation.ts";
import { defaultTimeoutSeconds, type TestCase } from "../../../machines/model/test_case.ts";
import type { TestResult } from "../../../machines/model/test_result.ts";
import { PthError } from "../../core/errors.ts";
import type { AgentRun, AgentRunCommands } from "../../api/harness.ts";
import { tierReason } from "../../testing/run/test_plan.ts";
import { interpolateTests } from "../../testing/format/interpolate.ts";
import { requireState, sendRequest } from "../send_request.ts";
import { testIdentity } from "./follow_suite.ts";
import { runsOn } from "../../actors/tests/runs_on.ts";
import { loadedPlugin, type SessionParts } from "../session/session_parts.ts";
import type { JudgedItem } from "../../../machines/model/verdict.ts";

type Finished = { type: "agent_run.finished" } & AgentRunEnd;

interface OpenRun {
  run: AgentRun;
  test: TestCase;
  startedAt: number;
  at: number;
}

export function agentRunCommands(context: SessionParts): AgentRunCommands {
  const { actor, live } = context;
  let open: OpenRun | undefined;
  /** The latest run that ended by itself, so that a client that still works in it learns the outcome. */
  let ended: { runId: string; result: TestResult } | undefined;
  let following: { unsubscribe(): void } | undefined;

  /** Subscribes to runs that end without a request: at their timeout, or with the loss of their server. */
  function follow(): void {
    following ??= actor.on("agent_run.finished", (fact: SessionFact) => {
      if (open && fact.type === "agent_run.finished") record(open, fact);
    });
  }

  function record(
    { run, test, startedAt, at }: OpenRun,
    { verdict, work, connectionId, pid }: AgentRunEnd,
  ): void {
    const result: TestResult = {
      ...verdict,
      ...testIdentity(test),
      ...runsOn(live),
      durationMs: performance.now() - at,
      startedAt,
      ...(connectionId === undefined ? {} : { connection: connectionId }),
      ...(pid === undefined ? {} : { serverPid: pid }),
      ...(work.checklist ? { checklist: live.secrets.redact.value(work.checklist) } : {}),
    };
    context.results.latest.set(test.id, result);
    ended = { runId: run.runId, result };
    open = undefined;
    live.progress.publish({ type: "test.finished", test, result });
  }

  function openRun(runId: string): OpenRun {
    if (open?.run.runId === runId) return open;
    if (ended?.runId === runId) {
      throw new PthError("NOT_NOW", `Cannot work in run ${runId}: it has ended (${ended.result.status})`, {
        output: ended.result.message ?? ended.result.note ?? "",
        next: [{ mcp: `Begin it anew: pth_run_test({ id: "${ended.result.id}" })` }],
      });
    }
    throw new PthError("INVALID_INPUT", `Cannot work in run ${runId}: there is no such run`, {
      next: [open ? `The run that is open: ${open.run.runId}` : { mcp: "Begin one: pth_run_test({ id })" }],
    });
  }

  return {
    async begin(id, { timeoutSeconds }, options = {}) {
      const test = context.tests.all.find((test) => test.id === id);
      if (test?.prompt === undefined) {
        throw new PthError("INVALID_INPUT", `Cannot begin a run of ${id}: it is no test with a prompt`);
      }
      if (open) {
        throw new PthError("NOT_NOW", `Cannot begin a run of ${id}: "${open.test.name}" is under way`, {
          next: [{ mcp: `Close it first: pth_complete_test_run({ runId: "${open.run.runId}", checklist })` }],
        });
      }
      refuseBelowTier(context, test);
      const planned = plan(context, test, timeoutSeconds);
      const run: AgentRun = {
        runId: crypto.randomUUID().slice(0, 8),
        testId: id,
        prompt: test.prompt,
        checklist: test.checklist ?? [],
        timeoutSeconds: planned.timeoutMs / 1000,
        ...(test.description === undefined ? {} : { description: test.description }),
      };
      const begun = { run, test, startedAt: Date.now(), at: performance.now() };
      const request = { type: "session.begin_agent_run" as const, runId: run.runId, test: planned };
      requireState(actor, request);
      follow();
      open = begun;
      context.results.latest.delete(id);
      live.evidence.forget([id]);
      try {
        const began = await sendRequest(actor, request, { signal: options.signal });
        const result = context.results.latest.get(id);
        if (began.type === "agent_run.finished" && result) return { result };
        if (began.type === "agent_run.began") {
          live.progress.publish({ type: "test.started", test, connection: began.connectionId });
        }
        return { run };
      } catch (error) {
        if (open === begun) open = undefined;
        throw error;
      }
    },
    async call(runId, tool, input, options = {}) {
      openRun(runId);
      const known = loadedPlugin(context)?.tools ?? [];
      if (!known.some(({ name }) => name === tool)) {
        throw new PthError("NO_SUCH_TOOL", `Cannot call ${tool}: the plugin lists no such tool`, {
          next: [`Choose one of: ${known.map(({ name }) => name).join(", ")}`],
        });
      }
      return await sendRequest(actor, { type: "session.agent_call", tool, input }, {
        signal: options.signal,
      });
    },
    async close(runId, judged, options = {}) {
      const { test } = openRun(runId);
      const checklist = checked(test, judged);
      await sendRequest(actor, { type: "session.close_agent_run", checklist }, { signal: options.signal });
      return context.results.latest.get(test.id)!;
    },
    async abandon(runId, reason) {
      const { test } = openRun(runId);
      const done = new Promise<void>((resolve) => {
        const subscription = actor.on("*", (fact: SessionFact) => {
          if (fact.type !== "agent_run.finished" && fact.type !== "session.ended") return;
          subscription.unsubscribe();
          resolve();
        });
      });
      actor.send({ type: "session.abandon_agent_run", reason });
      await done;
      const result = context.results.latest.get(test.id);
      if (!result) throw new PthError("INTERRUPTED", "Cannot give the run up: the session ended");
      return result;
    },
  };
}

function plan({ live }: SessionParts, test: TestCase, timeoutSeconds: number | undefined): PlannedTest {
  const values = new Map([...Object.entries(live.plugin.variables), ...live.secrets.values]);
  const seconds = test.timeoutSeconds ?? timeoutSeconds ?? defaultTimeoutSeconds[test.tier];
  return {
    test: interpolateTests([test], values)[0]!,
    timeoutMs: seconds * 1000,
    extendable: false,
    openEnded: false,
  };
}

/** Every item judged once, in the order of the test. @throws {PthError} `INVALID_INPUT` naming what is missing or unknown */
function checked({ checklist = [] }: TestCase, judged: readonly JudgedItem[]): JudgedItem[] {
  const byItem = new Map(judged.map((each) => [each.item.trim(), each]));
  const missing = checklist.filter((item) => !byItem.has(item.trim()));
  const known = new Set(checklist.map((item) => item.trim()));
  const unknown = [...byItem.keys()].filter((item) => !known.has(item));
  if (missing.length === 0 && unknown.length === 0 && byItem.size === judged.length) {
    return checklist.map((item) => ({ ...byItem.get(item.trim())!, item }));
  }
  throw new PthError("INVALID_INPUT", "Cannot close the run: the checklist is not judged item by item", {
    next: [
      ...missing.map((item) => `Judge: "${item}"`),
      ...unknown.map((item) => `No item of this test: "${item}"`),
      ...(byItem.size === judged.length ? [] : ["Judge each item once"]),
      "The run is still open",
    ],
  });
}

/** A test that would be judged below its tier proves nothing. @throws {PthError} `NOT_NOW` */
function refuseBelowTier({ live }: SessionParts, test: TestCase): void {
  const below = tierReason(test, live.environment.require().info.handle.tier);
  if (below === undefined) return;
  throw new PthError("NOT_NOW", `Cannot begin a run of ${test.id}: it ${below}`, {
    next: [{ mcp: `Move there: pth_reprovision_environment({ tier: ${test.requiresTier} })` }],
  });
}
