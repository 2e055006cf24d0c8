/**
 * Finds what two pictures of an environment show of it alone, where it lies over the machine's own root: what others change on the
 * machine meanwhile shows through, and is none of the environment's doing. Pure.
 */
import type { EnvironmentFingerprint, RuntimeDrift } from "../../../machines/model/environment.ts";

/** Parts that hold all that the environment shows. */
const shown = ["packages", "groups", "config"] as const;
/** Parts that hold only what differs from the machine beneath. */
const differing = ["files", "modes", "links", "capabilities"] as const;

/** Both as they are where nothing lies beneath. */
export function driftBeneath(
  before: EnvironmentFingerprint,
  after: EnvironmentFingerprint,
): [EnvironmentFingerprint, EnvironmentFingerprint] {
  const [old, now] = [before.beneath, after.beneath];
  if (old === undefined || now === undefined) return [before, after];
  const [from, to] = [{ ...before }, { ...after }];
  for (const name of shown) {
    const [under, over] = [old[name], now[name]];
    if (under === undefined || over === undefined) continue;
    [from[name], to[name]] = withoutInherited([before[name], under], [after[name], over]);
  }
  [from.users, to.users] = ownUsers(before, after, old, now);
  for (const name of differing) {
    from[name] = completed(before, name, now);
    to[name] = completed(after, name, old);
  }
  return [from, to];
}

type Values = Record<string, string>;

/** Leaves out what was the machine's own at both times, whatever it was: who changed it is not the environment. */
function withoutInherited(
  [before, under]: [Values, Values],
  [after, over]: [Values, Values],
): [Values, Values] {
  const own = ([name]: [string, string]) => before[name] !== under[name] || after[name] !== over[name];
  const kept = (values: Values) => Object.fromEntries(Object.entries(values).filter(own));
  return [kept(before), kept(after)];
}

function ownUsers(
  before: EnvironmentFingerprint,
  after: EnvironmentFingerprint,
  old: RuntimeDrift,
  now: RuntimeDrift,
): [string[], string[]] {
  const named = (users: readonly string[] = []): Values =>
    Object.fromEntries(users.map((name) => [name, ""]));
  const [from, to] = withoutInherited([named(before.users), named(old.users)], [
    named(after.users),
    named(now.users),
  ]);
  return [Object.keys(from), Object.keys(to)];
}

/** A file that differs in the other picture alone was, or is again, as the machine has it. */
function completed(
  picture: EnvironmentFingerprint,
  name: typeof differing[number],
  others: RuntimeDrift,
): Values {
  const { files, modes, links } = picture;
  const differs = (path: string) => path in files || path in modes || path in links;
  const same = Object.entries(others[name] ?? {}).filter(([path]) => !differs(path));
  return same.length === 0 ? picture[name] : { ...picture[name], ...Object.fromEntries(same) };
}
