/** Fixes in a few lines. */
import type { FixPatterns, FixRecord, SessionDiff } from "../../../machines/model/fix.ts";
import { loadId, loadName } from "../../diagnosis/load_failure.ts";
import type { ReloadReport, Session } from "../../api/harness.ts";
import { didYouMean } from "../../core/did_you_mean.ts";
import { contractText } from "./contract_text.ts";
import { orphanRows } from "./plugin_text.ts";
import { joinLines, limitedList } from "./join_lines.ts";
import { count, firstLine } from "../../core/text.ts";

/** Names of tools that a reload changed. */
const toolsShown = 10;

export const shortCommit = (commit: string): string => commit.slice(0, 10);

/** One row of the history; in `detail` with all tests and files, and with what its commit says. */
export function fixRow(
  { commit, type, title, body, tests, files, ...fix }: FixRecord,
  detail = false,
): string {
  const few = (names: readonly string[]) =>
    limitedList(names.map((name) => firstLine(name, 60)), detail ? Infinity : 4).join(", ");
  const facts = [
    fix.category,
    fix.iteration === undefined ? undefined : `iteration ${fix.iteration}`,
    fix.distro,
    tests.length > 0 ? `for ${few(tests)}` : undefined,
    files.length > 0 ? `in ${few(files)}` : undefined,
    fix.revertedBy === undefined ? undefined : `reverted by ${shortCommit(fix.revertedBy)}`,
  ].filter((fact) => fact !== undefined);
  const what = type === "other" ? "by hand" : type;
  const row = `- ${shortCommit(commit)} ${what}: ${title}${facts.length > 0 ? ` (${facts.join("; ")})` : ""}`;
  return detail && body.trim() !== "" ? `${row}\n${body.trim().replace(/^/gm, "    ")}` : row;
}

/** A fix for a test that does not exist is kept, and found under no test later: that is worth a word. */
export function unknownTestsText(
  tests: readonly string[],
  session: Pick<Session, "tests">,
): string | undefined {
  if (tests.length === 0) return undefined;
  const known = session.tests.list().flatMap(({ id, name }) => [id, name]).concat(loadId, loadName);
  const rows = [...new Set(tests)].filter((test) => !known.includes(test)).map((test) => {
    const near = didYouMean(test, known);
    return `"${firstLine(test, 60)}"${near === undefined ? "" : ` (did you mean "${near}"?)`}`;
  });
  if (rows.length === 0 || session.tests.list().length === 0) return undefined;
  return `Note: no test of this session is called ${
    limitedList(rows, 5).join(", ")
  }; fix and test are not connected`;
}

export const patternRows = ({ oscillating, repeated }: FixPatterns): string[] => [
  ...oscillating.map(({ test, commits }) =>
    `Back and forth: ${firstLine(test, 60)} was fixed, disturbed and fixed again (${
      commits.map(shortCommit).join(", ")
    })`
  ),
  ...repeated.map(({ file, commits }) =>
    `Again: ${commits.map(shortCommit).join(", ")} make the same change of ${file}`
  ),
];

/** Tells what runs now, and what to do next. */
export function reloadText(
  reload: ReloadReport | undefined,
  session: Pick<Session, "plugin" | "tests">,
): string {
  const run = session.tests.results().summary.failed > 0
    ? "pth_run_test_suite({ failedOnly: true })"
    : "pth_run_test_suite({})";
  if (!reload) {
    const load = session.plugin.status().state === "absent" ? "pth_load_plugin({})" : "pth_reload_plugin({})";
    return `Next: ${load}, then ${run}.`;
  }
  const { added, removed, changed, total } = reload.tools;
  const differences = [
    added.length > 0 && `added ${limitedList(added, toolsShown).join(", ")}`,
    removed.length > 0 && `removed ${limitedList(removed, toolsShown).join(", ")}`,
    changed.length > 0 && `changed ${limitedList(changed, toolsShown).join(", ")}`,
  ].filter((part) => part !== false);
  return joinLines(
    `The plugin runs with it: ${count(total, "tool")}${
      differences.length > 0 ? ` (${differences.join("; ")})` : ""
    }`,
    reload.contract && contractText(reload.contract),
    ...orphanRows(reload.closed),
    `Next: ${run}.`,
  );
}

/** `2 files changed, 10 lines added, 3 removed`. */
export const changesText = (changes: { files: number; added: number; removed: number }): string =>
  `${count(changes.files, "file")} changed, ${
    count(changes.added, "line")
  } added, ${changes.removed} removed`;

export const diffRows = ({ files }: SessionDiff): string[] =>
  files.map(({ path, from, added, removed }) =>
    `- ${from === undefined ? "" : `${from} → `}${path}: ${
      added === undefined ? "binary" : `+${added} −${removed ?? 0}`
    }`
  );
