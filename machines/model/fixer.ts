/** Requests to a fixer, and the change that it proposes. */
import type { Diagnosis, FailureGroup } from "./diagnosis.ts";
import type { Edit } from "./fix.ts";
import type { IterationRecord } from "./iteration.ts";

export interface FixerInput {
  /** Number of the iteration that asks. */
  iteration: number;
  /** `folder` is the plugin's on the host, within the session's worktree; a command is told its own checkout. */
  plugin: { name: string; folder: string };
  /** The root cause that a fix is asked for. */
  group: FailureGroup;
  /** Diagnoses of the group's tests. */
  diagnoses: Diagnosis[];
  /** Distribution that it fails on, where several are verified: it passes on those before. */
  distro?: string;
  /** Iterations so far, oldest first: what was tried, and what came of it. */
  records: readonly IterationRecord[];
}

export interface Proposal {
  /** First line of the commit, without the "fix: ". */
  title: string;
  body?: string;
  edits: Edit[];
}

export interface FixerRequest {
  /** For `sh -c`, on the host, in the plugin's folder of the worktree. */
  command: string;
  timeoutSeconds?: number;
  input: FixerInput;
}
