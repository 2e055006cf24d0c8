/** Tells what changed in an environment, in groups: the plugin's changes and noise are told apart. */
import type { DriftChange, DriftReport } from "../../../machines/model/environment.ts";
import type { CleanRunReport } from "../../api/harness.ts";
import { groupBy } from "../../core/values.ts";
import { resultsText } from "./results_text.ts";
import { joinLines, limitedList } from "./join_lines.ts";
import { count } from "../../core/text.ts";

/** Rows of one group. */
const rowsShown = 8;
const namesShown = 20;
const diffLinesShown = 8;
const testsShown = 20;

const groupNames: Record<DriftChange["group"], string> = {
  package: "Packages",
  service: "Services",
  timer: "Timers",
  cron: "Cron jobs",
  user: "Users",
  group: "Groups",
  port: "Listening ports",
  config: "Configuration",
  sysctl: "Kernel parameters",
  mount: "Mounts",
  hostname: "Host name",
  address: "Network addresses",
  firewall: "Packet filter",
  module: "Kernel modules",
  file: "Files",
  link: "Links",
  mode: "File modes and owners",
  capability: "File capabilities",
};

export function driftText({ drifted, changes, ignored = [], unseen = [] }: DriftReport, all = false): string {
  const own = changes.filter(({ byLoad }) => byLoad);
  const others = changes.filter(({ byLoad }) => !byLoad);
  return joinLines(
    drifted
      ? `Drifted: ${count(others.length, "change")} that a new environment would not have`
      : "No drift since provisioning.",
    ...rowsOf(others, all),
    own.length > 0 &&
      `Came with the plugin's load, as it would again: ${
        limitedList(
          [...groupBy(own, ({ group }) => group)].map(([group, some]) =>
            `${groupNames[group].toLowerCase()} ${some.length}`
          ),
          11,
        )
          .join(", ")
      }`,
    ignored.length > 0 && "Left out:",
    ...ignored.map(({ what, why, count: number }) => `- ${what}, ${number}: ${why}`),
    unseen.length > 0 && "Not compared:",
    ...unseen.map(({ what, why }) => `- ${what}: ${why}`),
  );
}

/** Group by group, each cut where it gets long, unless all is wanted. */
function rowsOf(changes: readonly DriftChange[], all: boolean): string[] {
  const rows: string[] = [];
  let left = 0;
  for (const [group, some] of groupBy(changes, (change) => change.group)) {
    const told = folders.has(group) ? folded(some) : some;
    const shown = all || told.length <= rowsShown
      ? { rows: told.map((change) => rowOf(change, all)), left: 0 }
      : briefly(told);
    rows.push(`${groupNames[group]}:`, ...shown.rows);
    left += shown.left;
  }
  if (left > 0) rows.push(`… ${left} more; detail: true shows all`);
  return rows;
}

/** Names in one line where there is no more to say of them, so that no group hides another. */
function briefly(changes: readonly DriftChange[]): { rows: string[]; left: number } {
  const rich = changes.filter(({ detail, diff }) => detail !== undefined || diff !== undefined);
  const plain = changes.filter((change) => !rich.includes(change));
  const lists = [...groupBy(plain, ({ change }) => change)].map(([change, some]) => ({
    row: `- ${change}: ${some.slice(0, namesShown).map(({ name }) => name).join(", ")}`,
    left: Math.max(0, some.length - namesShown),
  }));
  return {
    rows: [
      ...lists.map(({ row }) => row),
      ...rich.slice(0, rowsShown).map((change) => rowOf(change, false)),
    ],
    left: lists.reduce((sum, { left }) => sum + left, Math.max(0, rich.length - rowsShown)),
  };
}

function rowOf({ name, change, detail, diff }: DriftChange, all: boolean): string {
  const row = `- ${name} ${change}${detail ? `: ${detail}` : ""}`;
  if (diff === undefined) return row;
  const shown = limitedList(diff.split("\n"), all ? Infinity : diffLinesShown, "more lines");
  return joinLines(row, ...shown.map((line) => `    ${line}`));
}

const folders: ReadonlySet<string> = new Set(["file", "link", "mode"]);
/** Depth of folders below which files are grouped. */
const folderDepth = 5;
const fewFiles = 3;

/** A package brings hundreds of files: they count as their folder. */
function folded(files: readonly DriftChange[]): DriftChange[] {
  const folderOf = ({ name }: DriftChange) =>
    name.split("/").slice(0, -1).slice(0, folderDepth + 1).join("/");
  // What runs with others' rights is told by its name.
  const specialOf = ({ name, detail = "" }: DriftChange) => /set[ug]id/.test(detail) ? name : "";
  return [...groupBy(files, (file) => `${file.change} ${specialOf(file)} ${folderOf(file)}`).values()]
    .flatMap((some) =>
      some.length <= fewFiles ? some : [{
        group: some[0]!.group,
        change: some[0]!.change,
        name: `${folderOf(some[0]!)}/ (${some.length} files)`,
      }]
    );
}

/** The drift of the old environment, the suite in the new one, and which tests came to something else. */
export function cleanRunText(verification: CleanRunReport, all = false): string {
  const { drift, driftUnknown, onlyDirty, onlyClean, failed, summary, compared } = verification;
  const names = (results: CleanRunReport["failed"]) =>
    limitedList(results.map(({ name }) => name), all ? Infinity : testsShown, "more; detail: true names all")
      .join(
        "; ",
      );
  return joinLines(
    drift === undefined
      ? `The drift of the old environment is not known: ${driftUnknown}`
      : driftText(drift, all),
    "",
    "In a new environment, with the plugin loaded again:",
    resultsText({ summary, results: failed }),
    compared === 0
      ? "No test had run before: nothing to compare."
      : onlyDirty.length === 0 && onlyClean.length === 0
      ? `All ${count(compared, "test")} had the same result as before.`
      : undefined,
    onlyDirty.length > 0 &&
      `Passed only in the old environment, because of what it contained: ${names(onlyDirty)}`,
    onlyClean.length > 0 && `Failed only in the old environment, because of it: ${names(onlyClean)}`,
    onlyDirty.length > 0
      ? "Next: make what those tests depend on part of the plugin's build, or of the environment: pth_reprovision_environment({ fixtures }); " +
        "then pth_check_environment_drift({ reprovision: true })."
      : failed.length > 0
      ? "Next: pth_diagnose_failure({})."
      : "Next: pth_end_session({}).",
  );
}
