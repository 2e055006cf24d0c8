/** Hooks of a plugin for one event, run side by side: what is asked, and what came of each. */
import type { AgentTrace } from "./agent_session.ts";

/** A hook that is ready to run. */
export type ReadyHook =
  & {
    /** Unique in its request. */
    id: number;
    /** Limit in ms, after which it is ended. */
    limitMs: number;
  }
  & (
    | {
      type: "command";
      /** Line for a shell; with `args` the program. */
      command: string;
      /** Words after the program, which is started without a shell. */
      args?: string[];
    }
    | { type: "http"; url: string; headers: Record<string, string> }
  );

export interface HookRunRequest {
  /** Name of the event: `PreToolUse` … */
  event: string;
  hooks: ReadyHook[];
  /** Sent to each hook. `${project}`, `${plugin}`, `${home}` and `${temporary}` in its texts are folders inside. */
  payload: Record<string, unknown>;
  /** Variables in addition to those that Claude Code sets. */
  env: Record<string, string>;
  /** Name of the plugin, for the folder of its data. */
  plugin: string;
  /** Host folder of which the hooks work in a copy; absent: an empty one. */
  project?: string;
  /** Texts of files by their paths, which are laid into the copy. */
  files?: Record<string, string>;
}

/** One hook that has run. */
export interface HookRunEnd {
  id: number;
  durationMs: number;
  /** Whether it was ended at its limit; it has no output then. */
  timedOut: boolean;
  /** Exit code of a command; absent where a signal ended it. */
  exitCode?: number;
  /** Status of the answer to a request. */
  status?: number;
  /** Output of a command, or body of the answer to a request. */
  stdout: string;
  stderr: string;
  /** Reason why it could not be started or asked. */
  failure?: string;
}

/** Folders that were made for the hooks, as they see them. */
export interface PreparedHooks {
  /** Folder that holds all of them. */
  folder: string;
  project: string;
  plugin: string;
  home: string;
  temporary: string;
  data: string;
  /** Files of the project with their checksums. */
  before: Record<string, string>;
}

export interface HookRunResult {
  /** Payload as it was sent. */
  payload: Record<string, unknown>;
  runs: HookRunEnd[];
  /** Files of the project that are not as before. */
  changes: AgentTrace["changes"];
}
