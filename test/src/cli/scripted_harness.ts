/** A harness that plays a recorded run, and a context that keeps what a command does; for the tests of commands. */
import type { IterationOutcome } from "../../../machines/model/iteration.ts";
import type { ToolExercise } from "../../../machines/model/tool_exercise.ts";
import type { CommandContext, Interrupt } from "../../../src/cli/command.ts";
import { PthError } from "../../../src/core/errors.ts";
import type {
  CleanRunReport,
  EndReport,
  Harness,
  PublishedEvent,
  RequestOptions,
  Session,
} from "../../../src/api/harness.ts";
import { facts, report, results, summary, tests } from "../testing/reporters/recorded_run.ts";
import type { ScriptedSession } from "../server/scripted_harness.ts";

export interface Script {
  /** What the suite comes to in a new environment. */
  clean?: CleanRunReport;
  /** Request that fails, or never ends. */
  failAt?: string;
  error?: PthError;
  hangAt?: string;
  /** Called when a request begins. */
  onRequest?: (name: string) => void;
  failed?: number;
  /** Account of the tools after the suite. */
  exercise?: ToolExercise[];
  end?: Partial<EndReport>;
  /** What the loop comes to, and the facts that it tells on the way. */
  outcome?: IterationOutcome;
  iterationFacts?: PublishedEvent[];
}

export interface Played {
  harness: Harness;
  /** Requests in the order in which they were made. */
  calls: { name: string; args: unknown[] }[];
}

/** Each request tells its part of the recorded facts. */
export function scriptedHarness(script: Script = {}): Played {
  const calls: Played["calls"] = [];
  const listeners = new Set<(fact: PublishedEvent) => void>();
  let state: Harness["state"] = "dormant";
  const tell = (from: number, to: number) => {
    for (const fact of facts.slice(from, to)) for (const listener of listeners) listener(fact);
  };
  const request = async (name: string, args: unknown[], options?: RequestOptions) => {
    calls.push({ name, args });
    script.onRequest?.(name);
    options?.signal?.throwIfAborted();
    if (script.failAt === name) throw script.error ?? new PthError("INTERNAL", `Cannot ${name}: scripted`);
    if (script.hangAt === name) await new Promise(() => {});
  };
  const session: ScriptedSession = {
    report: () => ({ ...report, summary: { ...summary, failed: script.failed ?? summary.failed } }),
    environment: {
      async provision(config, options) {
        await request("provision", [config], options);
        tell(1, 4);
        return report.environment!;
      },
    },
    plugin: {
      async load(load, options) {
        await request("load", [load], options);
        tell(4, 8);
        return report.plugin!;
      },
      status: () => ({ state: "unloaded", tools: 0, connections: [] }),
    },
    tests: {
      async discover() {
        await request("discoverTests", []);
      },
      async use(source) {
        await request("useTests", typeof source === "string" ? [source] : [...source.texts.keys()]);
        return tests;
      },
      async generate(generate, options) {
        await request("generateTests", [generate], options);
        return { tests, findings: [], heldBack: [{ tool: "wipe", reason: "its name says that it deletes" }] };
      },
      async runSuite(suite, options) {
        await request("runSuite", [suite], options);
        tell(8, facts.length);
        return { summary, results, ...(script.exercise === undefined ? {} : { exercise: script.exercise }) };
      },
      list: () => [...tests],
      async learn(learn, options) {
        await request("learn", [learn], options);
        return { learned: [], refused: [], calls: 3, durationMs: 5, tests: tests.slice(0, 1) };
      },
      async runClean(suite, options) {
        await request("verifyClean", [suite], options);
        return script.clean!;
      },
    },
    loop: {
      async run(run, options) {
        await request("iterate", [run], options);
        for (const fact of script.iterationFacts ?? []) for (const listener of listeners) listener(fact);
        return script.outcome!;
      },
      status: () => ({
        iteration: 1,
        phase: "diagnosing",
        records: [],
        convergence: script.outcome!.convergence,
        groups: [],
        standing: script.outcome!.standing,
        timings: {},
        operations: {},
      }),
    },
    timings: () => ({}),
    info: () => ({
      sessionId: "s1",
      source: { ...report.source, base: "0123456789abcdef" },
      status: "active",
    }),
    fixes: {
      history: () =>
        Promise.resolve({
          records: script.outcome?.fixes ?? [],
          total: 0,
          patterns: { oscillating: [], repeated: [] },
        }),
      diff: () => Promise.resolve(undefined),
    },
  };
  const harness: Partial<Harness> = {
    get state() {
      return state;
    },
    on(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async startSession(target, options) {
      await request("startSession", [target, { mode: options?.mode, force: options?.force }], options);
      state = "active";
      tell(0, 1);
      return { sessionId: "s1", source: report.source, status: "active" };
    },
    async resumeSession(request_, options) {
      await request("resumeSession", [request_, { force: options?.force }], options);
      state = "active";
      const session = { sessionId: "s1", source: report.source, status: "active" };
      const commits = { fixes: 0, reverts: 0, others: 0 };
      return { session, iteration: 0, commits, tests: 0, degraded: [], next: [] };
    },
    async endSession(options) {
      await request("endSession", [options]);
      state = "dormant";
      return { branchKept: false, commits: 0, leftBehind: [], kept: [], ...script.end };
    },
    close: () => Promise.resolve(),
    session: () => session as Session,
    async preflight(target) {
      await request("preflight", [target]);
      return [
        { name: "docker", status: "ok", message: "the engine answers" },
        { name: "disk", status: "failed", message: "12 MB free", next: ["pth clean"] },
      ];
    },
  };
  return { harness: harness as Harness, calls };
}

export interface Kept {
  context: CommandContext;
  stdout(): string;
  stderr(): string;
  interrupt(signal: Interrupt): void;
  exits: number[];
  harnesses: Parameters<CommandContext["createHarness"]>[0][];
}

/** A context without a process: pipes instead of terminals, and signals by hand. */
export function keptContext(
  played: Played,
  extras: Partial<Pick<CommandContext, "askHidden" | "onKey">> & { variables?: Record<string, string> } = {},
): Kept {
  const text = { stdout: "", stderr: "" };
  const listeners = new Set<(signal: Interrupt) => void>();
  const exits: number[] = [];
  const harnesses: Kept["harnesses"] = [];
  const output = (name: "stdout" | "stderr") => ({
    write: (piece: string) => {
      text[name] += piece;
    },
    isTerminal: false,
    colour: false,
    columns: () => 80,
  });
  const { variables = {}, ...rest } = extras;
  return {
    context: {
      stdout: output("stdout"),
      stderr: output("stderr"),
      env: (name) => variables[name],
      createHarness: (options) => {
        harnesses.push(options);
        return Promise.resolve(played.harness);
      },
      onInterrupt: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      exit: (code) => void exits.push(code),
      ...rest,
    },
    stdout: () => text.stdout,
    stderr: () => text.stderr,
    interrupt: (signal) => listeners.forEach((listener) => listener(signal)),
    exits,
    harnesses,
  };
}
