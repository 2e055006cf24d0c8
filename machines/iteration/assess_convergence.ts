/** Whether the loop gets anywhere, read from its records. */
import type { FailureGroup } from "../model/diagnosis.ts";
import type {
  Convergence,
  ConvergenceTrend,
  IterationRecord,
  TestStatusSummary,
} from "../model/iteration.ts";
import { failedOf } from "./iteration_state.ts";

/** Stands for a test where the plugin does not load. */
const loading = { id: "\0load", name: "loading the plugin" };

const failingOf = ({ failing, loadError }: TestStatusSummary) =>
  loadError === undefined ? failing : [loading];

/** Lower is better; nothing is worse than a plugin that does not load. */
const badness = (standing: TestStatusSummary): number =>
  standing.loadError === undefined ? failedOf(standing) : Infinity;

export const isGreen = (standing: TestStatusSummary): boolean => badness(standing) === 0;

/** Before the first iteration, then after each. */
function standingsOf(records: readonly IterationRecord[]): TestStatusSummary[] {
  return records.length === 0 ? [] : [records[0]!.before, ...records.map(({ after }) => after)];
}

/** Records of the current distribution: on another one the same tests may have another status. */
function current(records: readonly IterationRecord[]): readonly IterationRecord[] {
  const distro = records.at(-1)?.distro;
  return records.slice(records.findLastIndex((record) => record.distro !== distro) + 1);
}

/** Tests that pass on each distribution that was verified, as it stood last. */
function distroRates(
  records: readonly IterationRecord[],
): { distro: string; passed: number; total: number }[] {
  const latest = new Map<string, TestStatusSummary>();
  for (const { distro, after } of records) if (distro !== undefined) latest.set(distro, after);
  return [...latest].map(([distro, { passed, total }]) => ({ distro, passed, total }));
}

/** Iterations since fewer tests failed than ever before. */
export function staleIterations(all: readonly IterationRecord[]): number {
  const records = current(all);
  const figures = standingsOf(records).map(badness);
  return figures.length === 0 ? 0 : figures.length - 1 - figures.indexOf(Math.min(...figures));
}

/** @param groups root causes of what fails now, where they are known */
export function assessConvergence(
  all: readonly IterationRecord[],
  groups: readonly FailureGroup[] = [],
): Convergence {
  const records = current(all);
  const rates = distroRates(all);
  const standings = standingsOf(records);
  const { trend, reason } = readTrend(records, standings);
  const suggestion = suggest(trend, records, standings, groups);
  return {
    trend,
    progress: standings.map(({ passed }) => passed),
    totals: standings.map(({ total }) => total),
    total: standings.at(-1)?.total ?? 0,
    stale: staleIterations(records),
    reason,
    ...(suggestion === undefined ? {} : { suggestion }),
    ...(rates.length === 0 ? {} : { distros: rates }),
  };
}

function readTrend(
  records: readonly IterationRecord[],
  standings: TestStatusSummary[],
): { trend: ConvergenceTrend; reason: string } {
  const latest = records.at(-1);
  if (!latest) return { trend: "untested", reason: "no iteration has ended yet" };
  const { before, after, broken, mended, appeared = [] } = latest;
  if (isGreen(after)) return { trend: "green", reason: "no test fails" };
  const returned = comeAndGo(records, standings);
  if (returned.length > 0) return { trend: "oscillating", reason: `${names(returned)} came back` };
  const worse = badness(after) > badness(before);
  if (worse && after.loadError !== undefined) {
    return { trend: "regressing", reason: "the plugin does not load any more" };
  }
  if (broken.length > 0 && (worse || broken.length >= mended.length)) {
    return { trend: "regressing", reason: `${count(broken.length)} that passed before: ${names(broken)}` };
  }
  if (badness(after) < badness(before)) return { trend: "improving", reason: improvement(before, after) };
  if (worse) {
    // No fix broke them: they are new, or were not run before.
    const fresh = `${count(failedOf(after))}, ${appeared.length} of them without an earlier result`;
    return mended.length > 0
      ? { trend: "improving", reason: `${mended.length} mended; ${fresh}` }
      : { trend: "plateau", reason: fresh };
  }
  return { trend: "plateau", reason: plateau(standings) };
}

const count = (failing: number) => `${failing} ${failing === 1 ? "test fails" : "tests fail"}`;

const improvement = (before: TestStatusSummary, after: TestStatusSummary): string =>
  before.loadError === undefined
    ? `${count(failedOf(after))}, ${failedOf(before)} did before`
    : `the plugin loads, ${count(failedOf(after))}`;

/** Names of tests that failed, were fixed and fail again, while the number of failures is no smaller. */
function comeAndGo(records: readonly IterationRecord[], standings: TestStatusSummary[]): string[] {
  const recent = standings.slice(-7);
  const now = recent.at(-1)!;
  const mended = new Set(records.slice(-6).flatMap(({ mended }) => mended));
  return failingOf(now).filter(({ id, name }) => {
    // One that was not there for a while, or was skipped, is not undone by any fix.
    if (!mended.has(name) && recent.every(({ loadError }) => loadError === undefined)) return false;
    const fails = recent.map((standing) => failingOf(standing).some((test) => test.id === id));
    const passed = fails.lastIndexOf(false);
    const first = fails.lastIndexOf(true, passed);
    return passed > 0 && first !== -1 && badness(now) >= badness(recent[first]!);
  }).map(({ name }) => name);
}

function plateau(standings: TestStatusSummary[]): string {
  const latest = standings.at(-1)!;
  const key = keyOf(latest);
  let since = 0;
  while (since + 1 < standings.length && keyOf(standings.at(-2 - since)!) === key) since++;
  const times = since === 1 ? "1 iteration" : `${since} iterations`;
  if (latest.loadError !== undefined) return `the plugin has not loaded for ${times}`;
  const length = failedOf(latest);
  if (since === 0) return `${count(length)} as before, though not the same`;
  return `same ${length === 1 ? "test" : `${length} tests`} failing for ${times}`;
}

const keyOf = (standing: TestStatusSummary): string =>
  failingOf(standing).map(({ id }) => id).sort().join("\0");

function suggest(
  trend: ConvergenceTrend,
  records: readonly IterationRecord[],
  standings: TestStatusSummary[],
  groups: readonly FailureGroup[],
): string | undefined {
  const latest = records.at(-1);
  if (trend === "regressing" && latest && latest.fixes.length > 0) {
    const commits = latest.fixes.map(({ commit }) => commit.slice(0, 10)).join(", ");
    return `Take back what iteration ${latest.number} did, and try another way: ${commits}.`;
  }
  if (trend === "oscillating") {
    return "The fixes undo each other: mend these tests together, in one fix.";
  }
  if (trend !== "plateau") return undefined;
  const often = fixedOften(records);
  if (often) return `${often.file} was fixed ${often.times} times: the fault may lie deeper.`;
  const growing = growth(records);
  if (growing) return `Fixes touch more and more files (${growing.join(", ")}): the design may be at fault.`;
  const failures = failedOf(standings.at(-1)!);
  if (groups.length === 0 || groups.length >= failures) return undefined;
  const shared = groups.length === 1 ? "one root cause" : `${groups.length} root causes`;
  return `The ${failures} failures have ${shared}: ${
    groups.slice(0, 3).map(({ cause }) => cause).join("; ")
  }`;
}

function fixedOften(records: readonly IterationRecord[]): { file: string; times: number } | undefined {
  const times = new Map<string, number>();
  for (const file of records.flatMap(({ fixes }) => fixes.flatMap(({ files }) => files))) {
    times.set(file, (times.get(file) ?? 0) + 1);
  }
  const [most] = [...times].sort(([, a], [, b]) => b - a);
  return most && most[1] >= 3 ? { file: most[0], times: most[1] } : undefined;
}

/** Files that each of the latest three iterations touched, where it was more each time. */
function growth(records: readonly IterationRecord[]): number[] | undefined {
  const sizes = records.slice(-3).map(({ fixes }) => new Set(fixes.flatMap(({ files }) => files)).size);
  return sizes.length === 3 && sizes[0]! < sizes[1]! && sizes[1]! < sizes[2]! ? sizes : undefined;
}

function names(tests: readonly string[]): string {
  const shown = tests.slice(0, 4).map((name) => name.length > 60 ? `${name.slice(0, 59)}…` : name);
  return tests.length > 4 ? `${shown.join(", ")} and ${tests.length - 4} more` : shown.join(", ");
}
