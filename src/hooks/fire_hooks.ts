/** Fires an event at the hooks of a plugin, and reports what each did and what they come to together. */
import type { AgentTrace } from "../../machines/model/agent_session.ts";
import type { HookRunEnd, HookRunRequest, HookRunResult } from "../../machines/model/hook_run.ts";
import { definedOnly } from "../core/values.ts";
import { decideHooks, type HookDecision } from "./decide.ts";
import { diagnoseHook, type HookDiagnosis } from "./diagnose_hook.ts";
import { type HookPlace, hookSubject } from "./hook_definition.ts";
import { callServer, type HookServers } from "./hook_servers.ts";
import { type JudgedHook, judgeHook } from "./judge_hook.ts";
import { matcherProblem } from "./matcher_problem.ts";
import { planHooks } from "./plan_hooks.ts";
import type { ReadHooks } from "./read_hooks.ts";

/** One hook of the event. */
export interface FiredHook {
  place: HookPlace;
  matcher?: string;
  type: string;
  /** Command line, URL, prompt or tool. */
  subject: string;
  /** Reason why it was not run. */
  skipped?: string;
  /** Whether Claude Code would run it: the decision lacks its answer. */
  untested?: true;
  outcome?: JudgedHook["outcome"];
  exitCode?: number;
  /** Status of the answer to a request. */
  status?: number;
  stdout?: string;
  stderr?: string;
  /** Answer in JSON. */
  answer?: JudgedHook["answer"];
  durationMs?: number;
  limitMs?: number;
  diagnoses: HookDiagnosis[];
}

export interface HookReport extends HookDecision {
  event: string;
  /** Payload as it was sent. */
  payload: Record<string, unknown>;
  /** All hooks of the event, in the order of their definitions. */
  hooks: FiredHook[];
  changes: AgentTrace["changes"];
}

export interface HookFiring extends Pick<HookRunRequest, "project" | "files"> {
  event: string;
  payload: Record<string, unknown>;
  env: Record<string, string>;
}

/**
 * @param run Runs hooks in an environment; not called where none is to run
 * @param servers Servers that hooks call
 */
export async function fireHooks(
  { plugin, hooks }: Pick<ReadHooks, "plugin" | "hooks">,
  { event, payload, env, ...rest }: HookFiring,
  run: (request: HookRunRequest) => Promise<HookRunResult>,
  servers?: HookServers,
): Promise<HookReport> {
  const planned = planHooks({ plugin, hooks }, event, payload, env, servers);
  const ready = planned.flatMap((each) => each.ready === undefined ? [] : [each.ready]);
  const calls = planned.flatMap((each) => each.call === undefined ? [] : [each.call]);
  // Calls take values of the payload, which names folders of the environment.
  const result = ready.length + calls.length === 0
    ? { payload, runs: [], changes: [] }
    : await run({ event, hooks: ready, payload, env, plugin, ...rest });
  const answers = await Promise.all(calls.map((call) => callServer(call, servers!.running!, result.payload)));
  const ends = new Map<number, HookRunEnd>([...result.runs, ...answers].map((end) => [end.id, end]));
  const judged: JudgedHook[] = [];
  const fired = planned.map((each): FiredHook => {
    const { definition, ready, call, failure, skipped, unmatched, untested, notes } = each;
    const { place, matcher, hook } = definition;
    const known = { place, ...definedOnly({ matcher }), type: hook.type, subject: hookSubject(hook) };
    const observed = notes.map((message): HookDiagnosis => ({ fault: false, message }));
    const begun = ready ?? call;
    const end = failure === undefined ? ends.get(begun?.id ?? -1) : failedEnd(failure);
    if (end === undefined) {
      const problem = unmatched ? matcherProblem(event, matcher) : undefined;
      const faults = problem === undefined ? [] : [{ fault: true, message: problem }];
      return { ...known, ...definedOnly({ skipped, untested }), diagnoses: [...observed, ...faults] };
    }
    const own = judgeHook(definition, end);
    judged.push(own);
    const { exitCode, status, stdout, stderr, durationMs } = end;
    return {
      ...known,
      outcome: own.outcome,
      ...definedOnly({ exitCode, status, answer: own.answer }),
      stdout,
      stderr,
      durationMs,
      ...definedOnly({ limitMs: begun?.limitMs }),
      diagnoses: [...observed, ...diagnoseHook(definition, end, own, begun?.limitMs ?? 0)],
    };
  });
  return {
    event,
    payload: result.payload,
    ...decideHooks(event, judged),
    hooks: fired,
    changes: result.changes,
  };
}

const failedEnd = (failure: string): HookRunEnd => ({
  id: -1,
  durationMs: 0,
  timedOut: false,
  stdout: "",
  stderr: "",
  failure,
});

/** Lists hooks whose answers the decision lacks, so that it is not taken for more than it says. */
export const untestedHooks = ({ hooks }: HookReport): string[] =>
  hooks.filter(({ untested }) => untested === true)
    .map(({ place: { file, line }, type, skipped }) => `${file}:${line} ${type}: ${skipped}`);

/** Whether a hook of the report has a fault. */
export const hasFault = ({ hooks }: HookReport): boolean =>
  hooks.some(({ diagnoses }) => diagnoses.some(({ fault }) => fault));
