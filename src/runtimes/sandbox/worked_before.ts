/**
 * Ways of making a sandbox that worked a while ago. Trying one costs the start and the end of a sandbox each time, so they are
 * remembered, also for later processes: for an hour, and until the machine or the namespaces that PTH runs in are others.
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { errorMessage } from "../../core/errors.ts";
import { isObject, jsonIn } from "../../core/values.ts";
import { readLink, readTextIfExists } from "../../platform/files.ts";
import { stateDir, uid } from "../../platform/host.ts";
import { log } from "../../platform/log.ts";
import { ownershipProblem, writeOwnText } from "../../platform/own_folder.ts";
import type { Method } from "./isolation_support.ts";

/** Times in ms at which methods worked, by machine, image and method. */
type Memory = Record<string, number>;

const keptFor = 60 * 60_000;
const file = (): string => join(stateDir(), "sandbox_methods.json");

/** True for a method by which a sandbox of this image was made here within the last hour. */
export async function workedBefore(
  image: string | undefined,
  method: Method,
  now: number = Date.now(),
): Promise<boolean> {
  const key = await keyOf(image, method);
  return key !== undefined && (await read(now))[key] !== undefined;
}

/** Notes whether a method works. What cannot be noted is tried again the next time. */
export async function recordMethod(
  image: string | undefined,
  method: Method,
  works: boolean,
  now: number = Date.now(),
): Promise<void> {
  const key = await keyOf(image, method);
  if (key === undefined) return;
  const { [key]: _before, ...others } = await read(now);
  try {
    await writeOwnText(
      file(),
      JSON.stringify({ ...others, ...(works ? { [key]: now } : {}) } satisfies Memory),
    );
  } catch (error) {
    log.debug("cannot remember how sandboxes are made here", { error: errorMessage(error) });
  }
}

/** Undefined where it cannot be seen whether this is the same machine, and the same namespaces. */
async function keyOf(image: string | undefined, method: Method): Promise<string | undefined> {
  try {
    const places = ["mnt", "user", "pid", "cgroup"].map((space) => readLink(`/proc/self/ns/${space}`));
    const facts = [
      await readTextIfExists("/proc/sys/kernel/random/boot_id"),
      ...await Promise.all(places),
      ...[uid(), image ?? "", method.enter, method.lower, method.data, method.userNamespace, method.filtered],
    ];
    return createHash("sha256").update(JSON.stringify(facts)).digest("hex").slice(0, 32);
  } catch {
    return undefined; // no /proc, or one that is closed: each process finds out for itself
  }
}

/** Reads the entries that are young enough; an unsafe folder, and a file of another PTH, have none. */
async function read(now: number): Promise<Memory> {
  if (await ownershipProblem(stateDir()) !== undefined) return {};
  const found = jsonIn(await readTextIfExists(file()).catch(() => undefined) ?? ""); // unreadable: found out again
  if (!isObject(found)) return {};
  const young = ([, at]: [string, unknown]) => typeof at === "number" && at <= now && now - at < keptFor;
  return Object.fromEntries(Object.entries(found).filter(young)) as Memory;
}
