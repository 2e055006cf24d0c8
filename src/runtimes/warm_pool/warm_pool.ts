/**
 * Holds things that are made ahead, so that their users need not wait: started environments, containers that
 * are ready to replace another one. Few, not for ever, and gone with their pool.
 */
import { clearTimeout, setTimeout } from "node:timers";
import { errorMessage } from "../../core/errors.ts";
import { readEnv } from "../../platform/host.ts";
import { log } from "../../platform/log.ts";

/** Number of things that are held ready: `PTH_WARM`, else 1; 0 holds none. */
export function warmLimit(): number {
  const given = Number(readEnv("PTH_WARM") || "1");
  return Number.isInteger(given) && given >= 0 ? given : 1;
}

/** Time after which an unused one is removed, in ms: its memory is worth more than the second that it saves. */
const keptFor = 10 * 60_000;

export interface Maker<T> {
  make(): Promise<T>;
  /** Removes one that is not wanted any more. */
  discard(thing: T): Promise<void>;
}

interface Member<T> extends Maker<T> {
  key: string;
  /** Undefined where it could not be made. */
  made: Promise<T | undefined>;
  timer: ReturnType<typeof setTimeout>;
}

export class WarmPool<T> {
  readonly #limit: () => number;
  readonly #keptFor: number;
  /** The oldest first. */
  #members: Member<T>[] = [];
  /** Removals under way. */
  readonly #leaving = new Set<Promise<void>>();

  constructor({ limit = warmLimit, keptForMs = keptFor }: { limit?: () => number; keptForMs?: number } = {}) {
    this.#limit = limit;
    this.#keptFor = keptForMs;
  }

  /** Keys of what is ready or under way. */
  get keys(): string[] {
    return this.#members.map(({ key }) => key);
  }

  /** Makes one in the background; one of the same key is replaced. A failure is written to the log only. */
  prepare(key: string, maker: Maker<T>): void {
    for (const same of this.#members.filter((member) => member.key === key)) this.#leave(same);
    if (this.#limit() === 0) return;
    while (this.#members.length >= this.#limit()) this.#leave(this.#members[0]!);
    const made = maker.make().catch((error) => {
      log.debug("nothing kept ready", { key, error: errorMessage(error) });
      return undefined;
    });
    const timer = setTimeout(() => this.#leave(member), this.#keptFor);
    timer.unref(); // a process that has nothing else to do ends
    const member: Member<T> = { ...maker, key, made, timer };
    this.#members.push(member);
  }

  /** The one of this key, also one that is under way: that is sooner than a new one. It is the caller's from now on. */
  async claim(key: string): Promise<T | undefined> {
    const member = this.#members.find((one) => one.key === key);
    if (!member) return undefined;
    this.#forget(member);
    return await member.made;
  }

  /** Removes those whose key fits, and waits until they are gone, and until all are gone that were to leave before. */
  async drop(fits: (key: string) => boolean = () => true): Promise<void> {
    for (const member of this.#members.filter(({ key }) => fits(key))) this.#leave(member);
    await Promise.all(this.#leaving);
  }

  #forget(member: Member<T>): void {
    clearTimeout(member.timer);
    this.#members = this.#members.filter((one) => one !== member);
  }

  #leave(member: Member<T>): void {
    this.#forget(member);
    const gone = this.#discard(member);
    this.#leaving.add(gone);
    void gone.then(() => this.#leaving.delete(gone));
  }

  async #discard({ key, made, discard }: Member<T>): Promise<void> {
    const thing = await made;
    if (thing === undefined) return;
    try {
      await discard(thing);
    } catch (error) {
      // It carries its session's label: `pth clean` finds it.
      log.debug("could not remove what was kept ready", { key, error: errorMessage(error) });
    }
  }
}
