/** The harness, made when it is first needed: what it stands on is too heavy for a server that only waits. */
import type { Harness, PublishedEvent } from "../api/harness.ts";
import { log } from "../platform/log.ts";

export interface LazyHarness {
  /** True between `harness.activated` and `harness.deactivated`. */
  readonly active: boolean;
  open(): Promise<Harness>;
  /** Calls the listener whenever `active` has changed. */
  onActivation(listener: () => void): void;
  /** Ends a session that there is; never rejects. */
  end(): Promise<void>;
}

export function lazyHarness(create: () => Promise<Harness>): LazyHarness {
  const listeners: (() => void)[] = [];
  let active = false;
  let opened: Promise<Harness> | undefined;

  const follow = (fact: PublishedEvent): void => {
    if (fact.type !== "harness.activated" && fact.type !== "harness.deactivated") return;
    const now = fact.type === "harness.activated";
    // A session that failed to start was never active.
    if (now === active) return;
    active = now;
    for (const listener of listeners) listener();
  };
  const make = async (): Promise<Harness> => {
    const harness = await create();
    harness.on(follow);
    return harness;
  };
  const open = (): Promise<Harness> => {
    if (opened !== undefined) return opened;
    opened = make();
    // After a failure the next call tries again; whoever asked sees the failure itself.
    opened.catch(() => opened = undefined);
    return opened;
  };
  return {
    get active() {
      return active;
    },
    open,
    onActivation: (listener) => void listeners.push(listener),
    end: async () => {
      if (opened === undefined) return;
      try {
        const harness = await opened;
        const report = await harness.endSession();
        await harness.close();
        if (report.leftBehind.length > 0) {
          log.error("Cannot remove everything", { leftBehind: report.leftBehind });
        }
      } catch (error) {
        log.error("Cannot end the session", { error });
      }
    },
  };
}
