/** Slots of the performance machine: plan, measure one tool, put together. */
import type { MeasuredStep, Measurement, PerformancePlan } from "../../../machines/model/performance.ts";
import type { MeasureInput } from "../../../machines/performance_machine.ts";
import { measureTokenCost, type SeenAnswer } from "../../contract/measure_token_cost.ts";
import { assessPerformance } from "../../performance/assess_performance.ts";
import { type Gauge, hostGauge, insideGauge } from "../../performance/gauge.ts";
import { type Benchmark, measureResponse, measureThroughput } from "../../performance/measure_response.ts";
import { planMeasurements } from "../../performance/plan_measurements.ts";
import { listScript, parseFileStamps } from "../../performance/side_effects.ts";
import type { SessionResources } from "../session_resources.ts";
import { type GetSession, promiseActor } from "../promise_actor.ts";

/** Answers that are kept of each tool, for their cost. */
const answersKept = 20;

/** Measurements of one request in addition to the figures of single tools. */
class Gathered {
  readonly startedAt = Date.now();
  readonly started = performance.now();
  readonly sources = new Set<string>();
  readonly answers: SeenAnswer[] = [];
  instructions: string | undefined;

  seen(answer: SeenAnswer): void {
    if (this.answers.filter(({ tool }) => tool === answer.tool).length < answersKept) {
      this.answers.push(answer);
    }
  }
}

type Known = Record<string, Record<string, unknown>>;

export function performanceSteps(stage: GetSession) {
  const gathered = new WeakMap<SessionResources, Gathered>();
  return {
    prepare: promiseActor(stage, (live, { request, known }: { request: object; known: Known }) => {
      gathered.set(live, new Gathered());
      return Promise.resolve().then(() =>
        planMeasurements(live.plugin.tools, new Map(Object.entries(known)), request)
      );
    }),
    measure: promiseActor(
      stage,
      async (live, input: MeasureInput, signal) =>
        live.secrets.redact.value(await measure(live, input, gathered.get(live)!, signal)),
    ),
    assess: promiseActor(
      stage,
      async (live, { plan, measurements }: { plan: PerformancePlan; measurements: Measurement[] }) => {
        const { startedAt, started, sources, answers, instructions } = gathered.get(live)!;
        const contextCost = await measureTokenCost(live.plugin.tools, instructions, answers);
        const durationMs = Math.round(performance.now() - started);
        const notes = notesOn(live, sources);
        return live.secrets.redact.value(
          assessPerformance({ plan, measurements, contextCost, notes, startedAt, durationMs }),
        );
      },
    ),
  };
}

const words: Record<MeasuredStep, string> = { response: "one by one", throughput: "rapid calls" };

async function measure(
  live: SessionResources,
  { step, planned, connectionId }: MeasureInput,
  gathered: Gathered,
  signal: AbortSignal,
): Promise<Measurement> {
  live.progress.messages("performance")(`${planned.tool}: ${words[step]}`);
  const connection = live.connections.require(connectionId);
  gathered.instructions = connection.server.instructions;
  const call: Benchmark["call"] = async (tool, input, signal) => {
    const outcome = await connection.callTool(tool, input, { signal });
    // Of a refusal the beginning is told; of other answers their sizes.
    return outcome.isError ? live.secrets.redact.value(outcome) : outcome;
  };
  const now = () => performance.now();
  if (step === "throughput") {
    return await measureThroughput(planned.tool, planned.inputs[0]!, { call, now, signal });
  }
  const gauge = await gaugeOf(live, connectionId, signal);
  gathered.sources.add(gauge.source);
  const { folder } = live.plugin.requirePlan();
  return await measureResponse(planned, {
    call,
    gauge,
    listFiles: () => listFiles(live, folder, signal),
    folder,
    now,
    signal,
    seen: (answer) => gathered.seen(answer),
  });
}

async function gaugeOf(live: SessionResources, connectionId: string, signal: AbortSignal): Promise<Gauge> {
  const mark = `${live.sessionId}/${connectionId}`;
  const { runtime, info } = live.environment.require();
  return await hostGauge(mark) ?? insideGauge(mark, async (script, stdin) => {
    const { stdout } = await runtime.exec(info.handle, ["sh", "-c", script], { cwd: "/", stdin, signal });
    return stdout;
  });
}

/**
 * Lists the plugin's files and, if the environment is isolated, the temporary ones; all programs of a host share its
 * `/tmp`.
 */
async function listFiles(live: SessionResources, folder: string, signal: AbortSignal) {
  const { runtime, info } = live.environment.require();
  const folders = runtime.abilities.isolated && folder !== "/tmp" ? [folder, "/tmp"] : [folder];
  const { stdout } = await runtime.exec(info.handle, ["sh", "-c", listScript, "sh", ...folders], {
    cwd: "/",
    signal,
  });
  return parseFileStamps(stdout);
}

function notesOn(live: SessionResources, sources: ReadonlySet<string>): string[] {
  const { runtime } = live.environment.require();
  return [
    `Figures of processor, memory and disk: ${[...sources].join("; ") || "none"}`,
    ...(runtime.abilities.isolated
      ? []
      : ["Files that tools write outside of the plugin's folder are not told: nothing is isolated here"]),
  ];
}
