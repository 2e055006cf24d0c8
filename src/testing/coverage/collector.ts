/** Defines collectors, which measure which code of a server runs: one file for each platform in `collectors/`. */
import type { FileCoverage, TestReach } from "../../../machines/model/coverage.ts";
import type { PluginPlan } from "../../../machines/model/plugin.ts";
import type { EnvironmentProcess, ExecOptions } from "../../runtimes/runtime.ts";
import type { ExecResult } from "../../../machines/model/environment_operations.ts";

/**
 * The place where a collector works. All of it lies inside the environment: nothing of it is on the host, and no path
 * is one of the host.
 */
export interface CoverageSite {
  /** Folder for everything that is measured. */
  folder: string;
  /** The plugin's own folder. */
  plugin: string;
  /** Target as given: a package fetched from a registry lies in `node_modules`, and counts. */
  source: string;
  /** Programs may be installed: it is not the host itself. */
  isolated: boolean;
  exec(
    command: string[],
    options?: ExecOptions & { timeoutMs?: number },
  ): Promise<ExecResult>;
  spawn(command: string[]): Promise<EnvironmentProcess>;
}

/** Runs one line of POSIX shell in the folder that is measured into, in a shell that stays open; answers what it printed. */
export type CoverageStep = (
  line: string,
  limits?: { maxBytes?: number; timeoutMs?: number },
) => Promise<string>;

/** Answer of a process to a cue, or at its end; one file for each process. */
export interface CoverageAnswer {
  /** Name of the collector whose agent it is. */
  kind: string;
  /** The process was ending. */
  ending?: boolean;
  [data: string]: unknown;
}

/** Result of all answers together. */
export interface Measured {
  files: FileCoverage[];
  /** By label. */
  reach: Map<string, TestReach[]>;
  notes: string[];
}

export interface Collecting {
  /** Variables for the server, given those that it has already. */
  serverVariables(own: Record<string, string>): Record<string, string>;
  /** Variables for the build. */
  buildVariables?: Record<string, string>;
  /** Prepares measuring after the plugin is built and before its server starts; returns notes for the user. */
  built?(plan: PluginPlan): Promise<string[]>;
  /**
   * Takes what an agent of this collector said of the stretch that ends with cue `cue`; a plugin may say anything in
   * its place.
   */
  take(answer: CoverageAnswer, cue: number, label: string | undefined): void;
  /** Called at the end of each stretch, once all agents have answered: for counts that no agent reports. */
  ended?(cue: number, step: CoverageStep): Promise<void>;
  /** @param labels of cues, by number; undefined: of no test */
  read(labels: ReadonlyMap<number, string | undefined>): Promise<Measured>;
}

export interface Collector {
  name: string;
  /** Whether a plugin like this can be measured. */
  applies(plan: PluginPlan): boolean;
  /** @throws {PthError} `UNSUPPORTED` where the environment lacks what it takes, saying what */
  start(site: CoverageSite, plan: PluginPlan): Promise<Collecting>;
}

/** Identity with types: the default export of a file in `collectors/`. */
export const defineCollector = (collector: Collector): Collector => collector;

/** Words of a start command, and the build system, as one text to look for a platform in. */
export const wordsOf = ({ server, build }: PluginPlan): string[] => [
  ...(server.command ?? []).map((word) => word.slice(word.lastIndexOf("/") + 1)),
  ...(build === undefined ? [] : [build.system]),
];
