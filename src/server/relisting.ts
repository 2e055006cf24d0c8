/**
 * The client's next look at the list of tools after the list has changed.
 *
 * A model is offered what its client listed last: an answer that names a tool comes too early while the client has not
 * listed it. Clients that take no notice of `list_changed` are found out once, and not waited for again.
 */
import { log } from "../platform/log.ts";

export interface Relisting {
  /** Sends the client a notification that the list has changed. */
  changed(): void;
  /** The client has asked for the list. */
  asked(): void;
  /** The client has been given the list, as it was when it asked. */
  given(): void;
  /** Resolves when the client has the list as it is, or will not ask for it; at the latest after some seconds. */
  settled(): Promise<void>;
}

interface RelistingLimits {
  /** Milliseconds until the client asks: Claude Code does within some ten. */
  toAskMs: number;
  /** Milliseconds from then on until it has its answer. */
  toBeGivenMs: number;
}

export function relisting(patience: RelistingLimits = { toAskMs: 500, toBeGivenMs: 2000 }): Relisting {
  /** A client that never listed tools has no list to bring up to date. */
  let follows = false;
  let wait: Wait | undefined;

  const end = (): void => {
    if (wait === undefined) return;
    clearTimeout(wait.timer);
    wait.resolve();
    wait = undefined;
  };
  return {
    changed() {
      end();
      if (!follows) return;
      let resolve = () => {};
      const promise = new Promise<void>((settle) => resolve = settle);
      const giveUp = () => {
        follows = false;
        log.debug("the client does not follow changes of the list of tools");
        end();
      };
      wait = { promise, resolve, asked: false, timer: setTimeout(giveUp, patience.toAskMs) };
    },
    asked() {
      follows = true;
      if (wait === undefined || wait.asked) return;
      clearTimeout(wait.timer);
      Object.assign(wait, { asked: true, timer: setTimeout(end, patience.toBeGivenMs) });
    },
    given() {
      if (wait?.asked) end();
    },
    settled: () => wait?.promise ?? Promise.resolve(),
  };
}

interface Wait {
  promise: Promise<void>;
  resolve: () => void;
  asked: boolean;
  timer: ReturnType<typeof setTimeout>;
}
