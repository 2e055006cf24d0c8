/** Where fixes come from: asked once for each root cause, it proposes a change or none. */
import type { Diagnosis, FailureGroup } from "../../machines/model/diagnosis.ts";
import type { Edit } from "../../machines/model/fix.ts";
import type { IterationRecord } from "../../machines/model/iteration.ts";

export interface FixerInput {
  /** Number of the iteration that asks. */
  iteration: number;
  /** `folder` is the plugin's on the host, within the session's worktree; a command is told its own checkout. */
  plugin: { name: string; folder: string };
  /** The root cause that a fix is asked for. */
  group: FailureGroup;
  /** Of the group's tests. */
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

/**
 * Proposes a fix of one root cause; undefined when it knows none. It leaves the worktree and the branch as they were.
 * @throws {PthError} `FIXER_FAILED` when what it did cannot become a fix (the message says why; others may be asked on);
 * the signal's reason when it was cancelled
 */
export type Fixer = (input: FixerInput, signal: AbortSignal) => Promise<Proposal | undefined>;
