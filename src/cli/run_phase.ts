/** Phases of `pth run` after the tests, on the loaded plugin: one file each in `run_phases/`. */
import type { Command } from "commander";
import type { RequestOptions, Session } from "../api/harness.ts";

export interface RunPhase {
  /** Name of its option, without dashes. */
  flag: string;
  /** One line for `--help`. */
  summary: string;
  /** Runs the phase; its results become part of `session.report()`. */
  run(session: Session, options: RequestOptions): Promise<unknown>;
}

/** Identity with types: the default export of a file in `run_phases/`. */
export const defineRunPhase = (phase: RunPhase): RunPhase => phase;

export function addPhaseOptions(command: Command, phases: readonly RunPhase[]): Command {
  for (const { flag, summary } of phases) command.option(`--${flag}`, summary);
  return command;
}

export const readPhases = (options: Record<string, unknown>, phases: readonly RunPhase[]): RunPhase[] =>
  phases.filter(({ flag }) => options[flag] === true);
