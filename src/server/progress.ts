/** Steps as MCP progress: a number that only grows, whatever the steps count. */
import type { Step } from "../harness.ts";

export interface ProgressNote {
  progress: number;
  total?: number;
  message: string;
}

/**
 * A function that turns each step into a note, or into undefined where the step counts no further than the last one did.
 * A phase that counts (`done` of `total`) starts where the phase before it ended.
 */
export function progressNotes(): (step: Step) => ProgressNote | undefined {
  let last = 0;
  let base = 0;
  let phase: string | undefined;
  return (step) => {
    if (step.phase !== phase) base = last;
    phase = step.phase;
    const progress = step.done === undefined ? last + 1 : base + step.done;
    if (progress <= last) return undefined;
    last = progress;
    const total = step.total === undefined ? undefined : base + step.total;
    return {
      progress,
      message: `${step.phase}: ${step.message}`,
      ...(total !== undefined && total >= progress ? { total } : {}),
    };
  };
}
