/** What changed between two pictures of an environment. Pure. */
import type { DriftReport, EnvironmentFingerprint } from "../../../machines/model/environment.ts";

type Change = DriftReport["changes"][number];

export function compareFingerprints(
  before: EnvironmentFingerprint,
  after: EnvironmentFingerprint,
): DriftReport {
  const changes = [
    ...valuesChanged("package", before.packages, after.packages, (old, now) => `${old} → ${now}`),
    ...listChanged("service", before.services, after.services),
    ...listChanged("user", before.users, after.users),
    ...listChanged("port", before.ports, after.ports),
    ...valuesChanged("config", before.config, after.config),
    ...listChanged("file", before.files, after.files),
  ];
  return { drifted: changes.length > 0, changes };
}

function listChanged(group: Change["group"], before: string[], after: string[]): Change[] {
  const [old, now] = [new Set(before), new Set(after)];
  return [
    ...after.filter((name) => !old.has(name)).map((name): Change => ({ group, change: "added", name })),
    ...before.filter((name) => !now.has(name)).map((name): Change => ({ group, change: "removed", name })),
  ];
}

function valuesChanged(
  group: Change["group"],
  before: Record<string, string>,
  after: Record<string, string>,
  detail?: (old: string, now: string) => string,
): Change[] {
  const changed = Object.entries(after)
    .filter(([name, value]) => before[name] !== undefined && before[name] !== value)
    .map(([name, value]): Change => ({
      group,
      change: "changed",
      name,
      ...(detail && { detail: detail(before[name]!, value) }),
    }));
  return [...listChanged(group, Object.keys(before), Object.keys(after)), ...changed];
}
