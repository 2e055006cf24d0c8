/** Finds inputs that tools accept, with the calls that must come before, by calling them. */
import type { LearnedInput, LearnReport, LearnRequest } from "../../../machines/model/learned.ts";
import type { ToolDefinition } from "../../../machines/model/plugin.ts";
import { errorMessage } from "../../core/errors.ts";
import { count, oneLine } from "../../core/text.ts";
import { definedOnly } from "../../core/values.ts";
import { isServerFault } from "../check.ts";
import { type FuzzHost, FuzzServer } from "../fuzz/fuzz_server.ts";
import {
  callableTools,
  type CallPlace,
  excludedTools,
  exclusionReason,
  realPlace,
} from "../generate/excluded_tools.ts";
import { plainAttempt } from "./attempt.ts";
import { confirmCall } from "./confirm_call.ts";
import { Exploration } from "./exploration.ts";
import { takesPage } from "./page_address.ts";
import { searchInput } from "./search_input.ts";
import { inCallOrder, toolPhase } from "./tool_phase.ts";
import { type StartingInputs, startingInputs } from "./starting_inputs.ts";
import { tryLearned, type TryOptions } from "./try_learned.ts";

export interface LearnSettings {
  signal: AbortSignal;
  /** Place where the tools' calls land. */
  place: CallPlace;
  /** Values of `${env:NAME}` in inputs that are given. */
  variables: ReadonlyMap<string, string>;
  /** Lays out the example files that inputs name; none unless given. */
  layOut?: (inputs: readonly unknown[]) => Promise<void>;
  /** Serves the example pages; resolves to false where they cannot be reached. None unless given. */
  servePage?: () => Promise<boolean>;
  /** One line of what happens now. */
  say?: (message: string) => void;
  /** Limit of one call. */
  limitMs?: number;
}

/** Calls of all tools together. */
const mostCalls = 600;
/** Rounds over the tools that are left: what one needs may be made by a tool behind it. */
const mostRounds = 3;

/**
 * The same tools and the same answers give the same inputs.
 * @throws {PthError} when no server can be started for inputs that are given; the signal's reason
 */
export async function learnTools(
  tools: readonly ToolDefinition[],
  host: FuzzHost,
  request: LearnRequest,
  { signal, place, variables, layOut, servePage, say = () => {}, limitMs = 5_000 }: LearnSettings,
): Promise<LearnReport> {
  const started = performance.now();
  const timeMs = (request.timeSeconds ?? 120) * 1000;
  const report: LearnReport = { learned: [], refused: [], calls: 0, durationMs: 0 };
  const mayCall = (): boolean => {
    const left = performance.now() - started < timeMs && report.calls < mostCalls;
    if (left) report.calls++;
    else {report.cutShort ??= report.calls < mostCalls
        ? `out of time (${timeMs / 1000} s)`
        : `${mostCalls} calls`;}
    return left;
  };
  const explored = new FuzzServer(host, signal);
  const fresh = new FuzzServer(host, signal);
  const settings = { place, ...definedOnly({ includeHeldBack: request.includeHeldBack }) };
  const callable = callableTools(tools, settings);
  const byName = new Map(callable.map((tool) => [tool.name, tool]));
  const excluded = new Map(excludedTools(tools, settings).map(({ tool, reason }) => [tool, reason]));
  const trying: TryOptions = { tools: byName, excluded, variables, limitMs, mayCall };
  try {
    if (request.inputs !== undefined) {
      for (const input of request.inputs) await tryGiven(input, fresh, trying, report);
      return finished(report, started);
    }
    const known = new Set((request.known ?? []).map(({ tool }) => tool));
    const wanted = callable.filter(({ name }) => !known.has(name) && (request.tools?.includes(name) ?? true));
    if (wanted.length === 0) return finished(report, started);
    const hints = definedOnly({ own: "pth-learned", files: request.place?.files });
    const inputs = new Map(
      (await startingInputs(inCallOrder(callable), hints, signal)).map((each) => [each.tool.name, each]),
    );
    await layOut?.([...inputs.values()].flatMap(({ first, full, others }) => [first, full, others]));
    const refusing = request.tools === undefined
      ? await refusingTools(callable, inputs, explored, { mayCall, limitMs })
      : request.tools;
    const targets = wanted.map(({ name }) => name).filter((name) => refusing.includes(name));
    if (targets.length === 0) return finished(report, started);
    if (request.tools === undefined) await explored.renew();
    const exploration = new Exploration(explored, inputs, {
      limitMs,
      folder: request.place?.folder,
      page: targets.some((name) => takesPage(inputs.get(name)?.full ?? {})) && await servePage?.() === true,
      mayCall,
    });
    await search(targets, exploration, inputs, { fresh, trying, say, report, known });
    return finished(report, started);
  } catch (error) {
    signal.throwIfAborted();
    // A server that bears no second one next to it can be tested all the same.
    if (request.inputs !== undefined || !isServerFault(error)) throw error;
    report.cutShort ??= oneLine(errorMessage(error));
    return finished(report, started);
  } finally {
    await Promise.all([explored.close(), fresh.close()]);
  }
}

const finished = (report: LearnReport, started: number): LearnReport => ({
  ...report,
  durationMs: performance.now() - started,
});

async function tryGiven(
  given: NonNullable<LearnRequest["inputs"]>[number],
  fresh: FuzzServer,
  trying: TryOptions,
  report: LearnReport,
): Promise<void> {
  await fresh.renew();
  const tried = await tryLearned(fresh, given, trying);
  if (tried.accepted) report.learned.push(given);
  else report.refused.push({ tool: given.tool, reason: tried.words, input: given.input });
}

/** Tools that refuse their generated input, each called once and in the order of generated tests. */
async function refusingTools(
  callable: readonly ToolDefinition[],
  inputs: ReadonlyMap<string, StartingInputs>,
  server: FuzzServer,
  { mayCall, limitMs }: Pick<TryOptions, "mayCall" | "limitMs">,
): Promise<string[]> {
  const exploration = new Exploration(server, inputs, { limitMs, folder: undefined, page: false, mayCall });
  const refusing: string[] = [];
  for (const { name } of callable) {
    const own = inputs.get(name);
    const called = own && await exploration.call(own, plainAttempt(own.first));
    if (called?.accepted === false) refusing.push(name);
  }
  return refusing;
}

interface SearchParts {
  fresh: FuzzServer;
  trying: TryOptions;
  say: (message: string) => void;
  report: LearnReport;
  /** Tools whose inputs are known. */
  known: ReadonlySet<string>;
}

/** Searches an input for each target, and confirms it on a new server, until a round finds nothing more. */
async function search(
  targets: readonly string[],
  exploration: Exploration,
  inputs: ReadonlyMap<string, StartingInputs>,
  { fresh, trying, say, report, known }: SearchParts,
): Promise<void> {
  const left = new Map<string, LearnReport["refused"][number]>();
  const isTarget = new Set(targets);
  const learned = new Map<string, LearnedInput>();
  for (let round = 1; round <= mostRounds; round++) {
    let found = 0;
    for (const [name, own] of inputs) {
      if (learned.has(name)) continue;
      if (!isTarget.has(name)) {
        // Others may give what is needed, and again what was ended since; what ends something gives nothing.
        if (toolPhase(name) === "end") continue;
        if (round > 1 && exclusionReason(own.tool, realPlace) !== undefined) continue;
        if (!known.has(name)) await exploration.call(own, plainAttempt(own.first));
        else if (round === 1) await searchInput(own, exploration);
        continue;
      }
      say(`${name} (${learned.size} of ${count(targets.length, "tool")} so far)`);
      const { accepted, first, last } = await searchInput(own, exploration);
      if (accepted === undefined) {
        if (last !== undefined) left.set(name, { tool: name, reason: last.words, input: last.input });
        continue;
      }
      found++;
      const call = exploration.latest(name)!;
      const confirmed = await confirmCall(
        call,
        exploration.accepted,
        first ?? left.get(name)?.reason,
        fresh,
        trying,
      );
      if ("reason" in confirmed) {
        left.set(name, { tool: name, reason: confirmed.reason, input: accepted.input });
      } else learned.set(name, confirmed);
    }
    if (found === 0 || learned.size === targets.length || report.cutShort !== undefined) break;
  }
  report.learned.push(...[...inputs.keys()].flatMap((name) => learned.get(name) ?? []));
  report.refused.push(...targets.flatMap((name) => learned.has(name) ? [] : left.get(name) ?? []));
}
