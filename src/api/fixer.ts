import type { FixerInput, Proposal } from "../../machines/model/fixer.ts";

/**
 * Proposes a fix of one root cause; undefined when it knows none. It leaves the worktree and the branch as they were.
 * @throws {PthError} `FIXER_FAILED` when what it did cannot become a fix (the message says why; others may be asked on);
 * the signal's reason when it was cancelled
 */
export type Fixer = (input: FixerInput, signal: AbortSignal) => Promise<Proposal | undefined>;
