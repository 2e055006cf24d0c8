/** Asks one at a time: of what is asked for meanwhile only the last is asked, the others are out of date. */

export interface Throttle {
  /** Milliseconds from the end of one to the start of the next; none by default. */
  pauseMs?: () => number;
  /** For tests. */
  wait?: (ms: number) => Promise<void>;
}

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Starts `run` for the latest request only; `run` must not throw. */
export function latestOnly<Asked>(
  run: (asked: Asked) => Promise<void>,
  { pauseMs = () => 0, wait = sleep }: Throttle = {},
): (asked: Asked) => void {
  let next: { asked: Asked } | undefined;
  let busy = false;
  const work = async () => {
    busy = true;
    while (next !== undefined) {
      const { asked } = next;
      next = undefined;
      await run(asked);
      const pause = pauseMs();
      if (pause > 0) await wait(pause);
    }
    busy = false;
  };
  return (asked) => {
    next = { asked };
    if (!busy) void work();
  };
}
