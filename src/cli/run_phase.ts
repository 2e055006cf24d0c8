/** What `pth run` may do besides the tests, on the plugin that is already loaded: one file each in `run_phases/`. */
import type { Command } from "commander";
import type { RequestOptions, Session } from "../api/harness.ts";

export interface RunPhase {
  /** Of the option that asks for it, without dashes; also its name among the parsed options. */
  flag: string;
  /** One line for `--help`. */
  summary: string;
  /** What it found is part of `session.report()` from then on. */
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
