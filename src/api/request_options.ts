import type { AskConfig } from "./questions.ts";

/** What comes with each request: a way to be told and a way to stop it. */
export interface RequestOptions {
  signal?: AbortSignal;
  onProgress?: (step: ProgressStep) => void;
  /** Asks a person for configuration that a plugin needs; without it what is missing is an error. */
  askConfig?: AskConfig;
  /** How often what may be over in a moment is tried again; default `PTH_RETRIES`, else 2. */
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
