/** Commands of the CLI: one file each in `commands/`, read only when it is asked for. */
import type { Command } from "commander";
import type { Harness } from "../api/harness.ts";
import type { TextOutput } from "../platform/terminal.ts";

export type Interrupt = "SIGINT" | "SIGTERM" | "SIGHUP";

/** Options of a harness that a command chooses. */
interface CommandHarnessOptions {
  recordFile?: string;
  /** Description of the process in `pth viz`; absent: its sessions cannot be watched. */
  announce?: { command: string; target?: string; entry?: string };
  keepsHistory?: boolean;
  /** Address of a WebSocket that takes what Stately's inspector shows. */
  stately?: string;
}

/** All side effects that a command has, so that a test can hand in its own. */
export interface CommandContext {
  /** Belongs to the report. */
  stdout: TextOutput;
  /** Output for progress, notices and errors. */
  stderr: TextOutput;
  env(name: string): string | undefined;
  /** Asks for a secret without showing it; absent where no one sits at a terminal. Undefined is a refusal. */
  askHidden?: (question: string) => Promise<string | undefined>;
  createHarness(options: CommandHarnessOptions): Promise<Harness>;
  /** Calls the listener for each key that is pressed, without its line being ended; absent where no one sits at a terminal. */
  onKey?: (listener: (key: string) => void) => () => void;
  /** Calls the listener for each interruption; the answer stops that. */
  onInterrupt(listener: (signal: Interrupt) => void): () => void;
  /** Ends the process at once. */
  exit(code: number): void;
}

/** Arguments after the command's name. */
export interface CommandLine {
  /** `run`, `iterate`, …: the command's own name. */
  command: string;
  operands: string[];
  options: Record<string, unknown>;
  /** Arguments after `--`. */
  rest: string[];
}

interface CommandDefinition {
  /** Declares operands and options, with their help. */
  configure(command: Command): void;
  /** The exit code. @throws {PthError} */
  run(line: CommandLine, context: CommandContext): Promise<number>;
}

/** Identity with types: the default export of a file in `commands/`. */
export const defineCommand = (definition: CommandDefinition): CommandDefinition => definition;

/** A command as the list of commands knows it. */
export interface CommandEntry {
  name: string;
  summary: string;
  load(): Promise<{ default: CommandDefinition }>;
}
