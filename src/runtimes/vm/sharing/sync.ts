/**
 * A source that both sides hold, brought up to date around each command: works with any guest, is in no snapshot's way,
 * and costs a listing of the folder on either side.
 */
import { setTimeout as later } from "node:timers/promises";
import { PthError } from "../../../errors.ts";
import { changeGuest, listGuest, packGuest } from "./guest_side.ts";
import { broughtAlong, listHost, ownPaths, packHost, removeOnHost, unpackOnHost } from "./host_side.ts";
import { difference, foldersAbove, isEmpty, leftOut, type Listing, replaced } from "./listing.ts";
import type { Share, Sharing } from "./share.ts";

/** How often what runs on in the guest is brought up to date, in ms; a slow guest is asked for a twentieth of its time. */
const everyMs = 2000;
const restFactor = 20;
/** How long a guest that may be broken is listened to before the machine goes back in time, in ms. */
const lastWordsMs = 10_000;

const latency =
  "edits on the host are seen by the next command, and within about 2 s by what runs already; what the guest writes is " +
  "on the host when the command ends, or within about 2 s";

export async function syncSource({ guest, hostPath, envPath }: Sharing): Promise<Share> {
  let apart: string[] = [];
  let onHost: Listing = new Map();
  let inGuest: Listing = new Map();
  /** Whether the guest may have written what the host has not yet. */
  let mustLook = true;
  /** How many commands run: only then the two sides are compared now and then. */
  let running = 0;
  let closed = false;

  const give = async (removed: readonly string[], changed: readonly string[]) =>
    await changeGuest(
      guest,
      envPath,
      removed,
      changed.length > 0 ? await packHost(hostPath, changed) : undefined,
    );

  /** Host and guest alike, as the host is; what only the guest has is kept for `bringOut`, or removed. */
  const mirror = async (removing: boolean) => {
    onHost = await listHost(hostPath, apart);
    const there = await listGuest(guest, envPath, apart);
    const changes = difference(there, onHost, "what");
    const removed = [...(removing ? changes.removed : []), ...replaced(changes, there, onHost)];
    await give(removed, changes.changed);
    inGuest = await listGuest(guest, envPath, apart);
    if (!removing) inGuest = new Map([...inGuest].filter(([path]) => onHost.has(path)));
  };

  const push = async () => {
    const now = await listHost(hostPath, apart);
    const changes = difference(onHost, now, "state");
    if (isEmpty(changes)) return;
    const removed = [...changes.removed, ...replaced(changes, onHost, now)];
    const { changed } = changes;
    // What the guest wrote meanwhile is not forgotten: only what was brought counts as known.
    await give(removed, changed);
    onHost = now;
    const there = await listGuest(guest, envPath, apart);
    const known = new Map(inGuest);
    for (const path of [...removed, ...changes.removed]) forgetBelow(known, path);
    for (const path of changed) keepEntry(known, there, path);
    inGuest = known;
  };

  const pull = async () => {
    mustLook = await guest.hasChanged(envPath, leftOut) || mustLook;
    if (!mustLook) return;
    const there = await listGuest(guest, envPath, apart);
    const changes = difference(inGuest, there, "state");
    if (isEmpty(changes)) return void (mustLook = false);
    const now = await listHost(hostPath, apart);
    // An edit on the host is worth more than what a program wrote: it is pushed next.
    const edited = difference(onHost, now, "state").changed.filter((path) => !now.get(path)!.isFolder);
    const taken = new Set(edited.flatMap((path) => [path, ...foldersAbove(path)]));
    const changed = changes.changed.filter((path) => there.get(path)!.isFolder || !taken.has(path));
    const removed = changes.removed.filter((path) => !taken.has(path));
    await removeOnHost(hostPath, removed);
    if (changed.length > 0) {
      const { archive, done } = await packGuest(guest, envPath, changed);
      done.catch(() => {}); // told below, if nothing else is
      await unpackOnHost(hostPath, changed, archive);
      await done;
    }
    const after = await listHost(hostPath, apart);
    const known = new Map(onHost);
    for (const path of removed) forgetBelow(known, path);
    for (const path of changed) keepEntry(known, after, path);
    onHost = known;
    inGuest = there;
    mustLook = false;
  };

  const queue = inTurn();
  const bringIn = queue.turns(push);
  const bringOut = queue.turns(pull);

  let keepsUp = false;
  const keepUp = async () => {
    if (keepsUp) return; // a loop that rests goes on with what runs now
    keepsUp = true;
    try {
      while (running > 0 && !closed) await keepUpRound();
    } finally {
      keepsUp = false;
    }
  };
  const keepUpRound = async () => {
    const started = performance.now();
    await later(everyMs, undefined, { ref: false });
    if (running === 0 || closed) return;
    const begun = performance.now();
    try {
      await bringIn();
      await bringOut();
    } catch {
      // The guest is gone or busy: the next command tells.
    }
    const rest = (performance.now() - begun) * restFactor - (begun - started);
    if (rest > 0) await later(rest, undefined, { ref: false });
  };

  const release = async () => {
    await bringOut();
    await queue.stop();
  };

  /** Nothing begins from now on; what has begun ends at the latest when the connection is dropped. */
  const abandon = async () => {
    const last = bringOut();
    void queue.stop();
    await Promise.race([last, later(lastWordsMs, undefined, { ref: false }).then(neverAnswered)]);
  };

  apart = ownPaths(await listHost(hostPath, []));
  await guest.exec(["mkdir", "-p", "--", envPath], { cwd: "/" });
  await mirror(false);
  for (const folder of await broughtAlong(hostPath)) {
    await guest.copyIn(`${hostPath}/${folder}`, `${envPath}/${folder}`);
  }
  await bringOut();

  return {
    mount: { method: "sync", hostPath, envPath, writable: true, latency },
    bringIn,
    bringOut,
    keepUp() {
      if (running++ === 0) void keepUp();
      let stopped = false;
      return () => {
        if (!stopped) running--;
        stopped = true;
      };
    },
    release,
    abandon,
    async regain() {
      try {
        await queue.stopped();
        await mirror(true);
      } finally {
        queue.goOn();
      }
    },
    close() {
      closed = true;
      return Promise.resolve();
    },
  };
}

function neverAnswered(): never {
  throw new PthError(
    "ENVIRONMENT_LOST",
    `Cannot fetch what the guest wrote: no answer within ${lastWordsMs / 1000} s`,
  );
}

function forgetBelow(listing: Map<string, unknown>, path: string): void {
  for (const known of [...listing.keys()]) {
    if (known === path || known.startsWith(`${path}/`)) listing.delete(known);
  }
}

function keepEntry<T>(listing: Map<string, T>, from: ReadonlyMap<string, T>, path: string): void {
  const entry = from.get(path);
  if (entry === undefined) listing.delete(path);
  else listing.set(path, entry);
}

/**
 * Work that is never done twice at a time; who asks while it waits for its turn shares that turn. Between `stop` and
 * `goOn` nothing begins.
 */
function inTurn() {
  let tail: Promise<unknown> = Promise.resolve();
  let before: Promise<unknown> = tail;
  let goOn = () => {};
  return {
    turns: (work: () => Promise<void>) => {
      let next: Promise<void> | undefined;
      return (): Promise<void> => {
        if (next !== undefined) return next;
        const turn = tail.then(() => {
          next = undefined;
          return work();
        });
        next = turn;
        tail = turn.catch(() => {}); // who asked is told
        return turn;
      };
    },
    async stop() {
      before = tail;
      tail = before.then(() => new Promise<void>((resolve) => goOn = resolve));
      await before;
    },
    /** Once what had begun before `stop` is over. */
    stopped: () => before,
    goOn: () => goOn(),
  };
}
