/** Reporters: what turns the facts of a run into text. One file each in `reporters/`. */
import type { PthError } from "../core/errors.ts";
import type { GeneratedTests, PublishedEvent } from "../api/harness.ts";
import type { ContractCheck } from "../../machines/model/contract.ts";
import type { EnvironmentHandle, EnvironmentState, Tier } from "../../machines/model/environment.ts";
import type { PluginPlan, ServerInfo } from "../../machines/model/plugin.ts";
import type { RunReport, SessionSource } from "../../machines/model/session.ts";
import type { ReportTest } from "./report/report_schema.ts";

/** Output of a reporter: a terminal, a pipe or a file. */
export interface ReporterOutput {
  write(text: string): void;
  readonly isTerminal: boolean;
  /** Colours are wanted. */
  readonly colour: boolean;
  /** Width in columns. */
  columns(): number;
}

/** Report of a session as reporters read it; a published report can be read back as this. */
export interface ReportedRun extends
  Pick<
    RunReport,
    | "tests"
    | "results"
    | "findings"
    | "summary"
    | "exercise"
    | "timings"
    | "coverage"
    | "impact"
    | "performance"
    | "tokenCost"
    | "seed"
    | "matrix"
  > {
  source: Pick<SessionSource, "name" | "version" | "source">;
  environment?: {
    handle: Pick<EnvironmentHandle, "runtime" | "tier" | "image">;
    reason: string;
    state?: Pick<EnvironmentState, "network">;
  };
  plugin?: {
    plan: Pick<PluginPlan, "name" | "version">;
    server: Pick<ServerInfo, "name" | "version" | "protocolVersion">;
    tools: { readonly length: number };
    contract?: ContractCheck;
  };
}

/** A run that is over, however it ended; what it never reached is absent. */
export interface FinishedRun {
  /** Target as the user gave it. */
  target: string;
  report?: ReportedRun;
  /** Result of the generator, if it ran. */
  generated?: GeneratedTests;
  /** Notes of the run, in order. */
  notes: string[];
  exitCode: number;
  /** Error that ended the run before its tests did. */
  error?: PthError;
  /** Milliseconds since the epoch, and how long it took. */
  startedAt: number;
  durationMs: number;
  strict: boolean;
  /** The part of the suite that ran, where it was one of several. */
  shard?: { index: number; of: number };
  /** Files that are written for this run. */
  files: string[];
}

/** One optional function per kind of fact, and one for the end. They must not throw for odd text. */
export type ReporterHooks =
  & { [Type in PublishedEvent["type"]]?: (fact: Extract<PublishedEvent, { type: Type }>) => void }
  & {
    /** Called once, also for a run that died early. */
    end?(run: FinishedRun): void;
  };

export interface ReporterDefinition {
  /** Name after `--reporter`. */
  name: string;
  /** One line for `--help`. */
  summary: string;
  /** "stream" writes as it goes; "whole" writes once, at the end, and a file appears whole or not at all. */
  writes: "stream" | "whole";
  /** Loads the libraries that it writes with, before `create`: no run waits for those of others. */
  prepare?(): Promise<void>;
  create(output: ReporterOutput): ReporterHooks;
}

/** Identity with types: the default export of a file in `reporters/`. */
export const defineReporter = (definition: ReporterDefinition): ReporterDefinition => definition;

/** Hands one fact to the hook that waits for it. */
export function dispatch(hooks: ReporterHooks, fact: PublishedEvent): void {
  (hooks[fact.type] as ((fact: PublishedEvent) => void) | undefined)?.(fact);
}

interface Grouped {
  tool?: string | undefined;
  tier: Tier;
  own?: ReportTest["own"];
}

/** Group of a test: its tool, or the suite that it has in the plugin's own tests. */
export function groupOf({ tool, tier, own }: Grouped): string {
  if (own === undefined) return tool ?? (tier === 1 ? "server" : "scenarios");
  const suite = own.suite ?? own.framework;
  return suite === undefined ? "own tests" : `own tests: ${suite}`;
}
