import type { AskConfig } from "./questions.ts";

/** Options of each request: progress, cancellation, retries. */
export interface RequestOptions {
  signal?: AbortSignal;
  onProgress?: (step: ProgressStep) => void;
  /** Asks a person for configuration that a plugin needs; without it what is missing is an error. */
  askConfig?: AskConfig;
  /** Number of retries after a transient error; default `PTH_RETRIES`, else 2. */
  retries?: number;
}

/** One step of long work, for MCP progress notifications and the terminal's live line. */
export interface ProgressStep {
  /** "provision", "install", "build", "start", "suite" … */
  phase: string;
  message: string;
  done?: number;
  total?: number;
}
