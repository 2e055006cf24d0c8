/** Compares two fingerprints of an environment. Pure. */
import { createTwoFilesPatch } from "diff";
import type {
  DriftChange,
  DriftReport,
  EnvironmentFingerprint,
} from "../../../machines/model/environment.ts";
import { driftBeneath, driftNoise, type Noise } from "./drift_noise.ts";
import { deleted } from "./files_in.ts";
import { Buffer } from "node:buffer";
import { gunzipSync } from "node:zlib";

/** Lines of one file's diff that are kept. */
const longestDiff = 40;

export function compareFingerprints(
  earlier: EnvironmentFingerprint,
  later: EnvironmentFingerprint,
): DriftReport {
  const [before, after] = driftBeneath(earlier, later);
  const all = [
    ...valuesChanged("package", before.packages, after.packages),
    ...listChanged("service", before.services, after.services, "running"),
    ...listChanged("service", before.enabled, after.enabled, "started at boot"),
    ...listChanged("timer", before.timers, after.timers),
    ...listChanged("user", before.users, after.users),
    ...valuesChanged("group", before.groups, after.groups),
    ...listChanged("port", before.ports, after.ports),
    ...configChanged(before, after),
    ...valuesChanged("sysctl", before.sysctl, after.sysctl),
    ...valuesChanged("mount", before.mounts, after.mounts),
    ...hostnameChanged(before.hostname, after.hostname),
    ...listChanged("address", before.addresses, after.addresses),
    ...firewallChanged(before.firewall, after.firewall),
    ...listChanged("module", before.modules, after.modules),
    ...filesChanged(before.files, after.files),
    ...valuesChanged("link", before.links, after.links),
    ...modesChanged(before, after),
    ...valuesChanged("capability", before.capabilities, after.capabilities),
  ];
  const judged = all.map((change) => ({ change, noise: driftNoise(change) }));
  const changes = judged.filter(({ noise }) => noise === undefined).map(({ change }) => change);
  const ignored = countNoise(judged.flatMap(({ noise }) => noise ?? []));
  const unseen = later.unseen ?? [];
  return {
    drifted: changes.length > 0,
    changes,
    ...(ignored.length > 0 ? { ignored } : {}),
    ...(unseen.length > 0 ? { unseen } : {}),
  };
}

/**
 * Marks what the plugin's load brought, unless it changed again afterwards.
 * @param load what the load changed @param since what changed after it
 */
export function markLoaded(report: DriftReport, load: DriftReport, since: DriftReport): DriftReport {
  const keysOf = ({ changes }: DriftReport) => new Set(changes.map(({ group, name }) => `${group} ${name}`));
  const [brought, later] = [keysOf(load), keysOf(since)];
  const changes = report.changes.map((change): DriftChange => {
    const key = `${change.group} ${change.name}`;
    return brought.has(key) && !later.has(key) ? { ...change, byLoad: true } : change;
  });
  return { ...report, drifted: changes.some(({ byLoad }) => byLoad !== true), changes };
}

function countNoise(found: readonly Noise[]): NonNullable<DriftReport["ignored"]> {
  const counts = new Map<string, { what: string; why: string; count: number }>();
  for (const { what, why } of found) {
    counts.set(what, { what, why, count: (counts.get(what)?.count ?? 0) + 1 });
  }
  return [...counts.values()];
}

function listChanged(
  group: DriftChange["group"],
  before: readonly string[],
  after: readonly string[],
  detail?: string,
): DriftChange[] {
  const [old, now] = [new Set(before), new Set(after)];
  const more = detail === undefined ? {} : { detail };
  return [
    ...after.filter((name) => !old.has(name))
      .map((name): DriftChange => ({ group, change: "added", name, ...more })),
    ...before.filter((name) => !now.has(name))
      .map((name): DriftChange => ({ group, change: "removed", name, ...more })),
  ];
}

function valuesChanged(
  group: DriftChange["group"],
  before: Record<string, string>,
  after: Record<string, string>,
): DriftChange[] {
  const value = (text: string) => text === "" ? "none" : text;
  const changed = Object.entries(after)
    .filter(([name, now]) => before[name] !== undefined && before[name] !== now)
    .map(([name, now]): DriftChange => ({
      group,
      change: "changed",
      name,
      detail: `${value(before[name]!)} → ${value(now)}`,
    }));
  const only = (these: Record<string, string>, others: Record<string, string>, change: "added" | "removed") =>
    Object.entries(these).filter(([name]) => others[name] === undefined)
      .map(([name, detail]): DriftChange => ({ group, change, name, ...(detail === "" ? {} : { detail }) }));
  return [...only(after, before, "added"), ...only(before, after, "removed"), ...changed];
}

/** Compares files: one that a runtime marks as deleted was removed; one that is no longer so marked was added. */
function filesChanged(before: Record<string, string>, after: Record<string, string>): DriftChange[] {
  return valuesChanged("file", before, after).map(({ detail: _sizes, ...change }): DriftChange => {
    if (after[change.name] === deleted) return { ...change, change: "removed" };
    return before[change.name] === deleted ? { ...change, change: "added" } : change;
  });
}

const hostnameChanged = (before: string, after: string): DriftChange[] =>
  before === after
    ? []
    : [{ group: "hostname", change: "changed", name: after, detail: `${before} → ${after}` }];

/** Shows rules as a diff: a rule means little without the chain that it is in. */
function firewallChanged(before: readonly string[], after: readonly string[]): DriftChange[] {
  const [was, is] = [before, after].map((rules) => rules.map((rule) => `${rule}\n`).join("")) as [
    string,
    string,
  ];
  if (was === is) return [];
  return [{ group: "firewall", change: "changed", name: "rules", diff: difference(was, is) }];
}

const isCrontab = (path: string): boolean =>
  /^\/(etc\/(crontab|anacrontab|cron\.)|var\/spool\/cron\/)/.test(path);

/** With the texts, where everyone may read them. */
function configChanged(before: EnvironmentFingerprint, after: EnvironmentFingerprint): DriftChange[] {
  const changes = valuesChanged("config", before.config, after.config)
    .map(({ detail: _checksums, ...change }): DriftChange =>
      isCrontab(change.name) ? { ...change, group: "cron" } : change
    );
  // Opening them takes longer than all the rest.
  const shown = changes.filter((change) => driftNoise(change) === undefined);
  if (shown.length === 0) return changes;
  const [old, now] = [configTexts(before.configTexts), configTexts(after.configTexts)];
  return changes.map((change) => {
    if (driftNoise(change) !== undefined) return change;
    const [was, is] = [old.get(change.name), now.get(change.name)];
    const known = was !== undefined || is !== undefined;
    const hidden = (change.change !== "added" && was === undefined) ||
      (change.change !== "removed" && is === undefined);
    if (!known || hidden) return { ...change, detail: "its text is not shown: private, large, or no text" };
    return { ...change, diff: difference(was ?? "", is ?? "") };
  });
}

function difference(before: string, after: string): string {
  const patch = createTwoFilesPatch("before", "after", before, after, "", "", {
    context: 1,
    maxEditLength: 1000,
  });
  if (patch === undefined) return "(too different to show)";
  const lines = patch.trimEnd().split("\n").slice(3);
  const shown = lines.slice(0, longestDiff).map((line) => line.slice(0, 300));
  if (lines.length > longestDiff) shown.push(`… ${lines.length - longestDiff} more lines`);
  return shown.join("\n");
}

const block = 512;

/** @returns path (absolute) to text; empty where the archive cannot be read, which costs a diff and nothing else */
export function configTexts(archive: string | undefined): Map<string, string> {
  if (archive === undefined) return new Map();
  let tar: Buffer;
  try {
    tar = gunzipSync(Buffer.from(archive, "base64"));
  } catch {
    return new Map(); // cut off on its way
  }
  return untar(tar);
}

/** Plain files of a ustar or GNU archive. */
function untar(tar: Buffer): Map<string, string> {
  const texts = new Map<string, string>();
  let longName: string | undefined;
  for (let at = 0; at + block <= tar.length && tar[at] !== 0;) {
    const field = (from: number, length: number) =>
      tar.toString("utf8", at + from, at + from + length).split("\0", 1)[0]!;
    const size = Number.parseInt(field(124, 12), 8) || 0;
    const type = field(156, 1);
    const content = tar.subarray(at + block, at + block + size);
    const prefix = field(257, 6) === "ustar" ? field(345, 155) : "";
    const name = longName ?? [prefix, field(0, 100)].filter((part) => part !== "").join("/");
    longName = type === "L" ? content.toString("utf8").split("\0", 1)[0] : undefined;
    if ((type === "0" || type === "") && !content.includes(0)) {
      texts.set(`/${name.replace(/^\/+/, "")}`, content.toString("utf8"));
    }
    at += block + Math.ceil(size / block) * block;
  }
  return texts;
}

/** Matches the mode of a file that runs with its owner's or its group's rights, whichever user starts it. */
const specialMode = /^(\d*[2-7])(\d{3}) /;

type Modes = EnvironmentFingerprint["modes"];

/** Counts of what is new only files that are setuid or setgid: all other modes of it say nothing more than that it is new. */
function modesChanged(
  { modes: before }: { modes: Modes },
  { modes: after }: { modes: Modes },
): DriftChange[] {
  return Object.entries(after).flatMap(([name, now]): DriftChange[] => {
    const old = before[name];
    if (old === now) return [];
    if (old !== undefined) {
      return [{ group: "mode", change: "changed", name, detail: `${shown(old)} → ${shown(now)}` }];
    }
    return specialMode.test(now) ? [{ group: "mode", change: "added", name, detail: shown(now) }] : [];
  });
}

/** "4755 0:0 (setuid)" */
function shown(mode: string): string {
  const bits = Number(mode.match(specialMode)?.[1]?.at(-1) ?? 0);
  const names = [bits & 4 && "setuid", bits & 2 && "setgid"].filter((name) => typeof name === "string");
  return mode.replace(/^d/, "") + (names.length > 0 ? ` (${names.join(", ")})` : "");
}
