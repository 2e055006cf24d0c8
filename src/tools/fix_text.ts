/** Fixes in a few lines. */
import type { FixPatterns, FixRecord, SessionDiff } from "../../machines/model/fix.ts";
import { loadId, loadName } from "../diagnosis/load_failure.ts";
import type { ReloadReport, SessionCommands } from "../harness.ts";
import { didYouMean } from "../testing/did_you_mean.ts";
import { contractText } from "./contract_text.ts";
import { orphanRows } from "./orphan_text.ts";
import { count, firstLine, lines, listed } from "./words.ts";

export const short = (commit: string): string => commit.slice(0, 10);

/** Of the tests or the files of one commit. */
const few = (names: readonly string[]): string =>
  listed(names.map((name) => firstLine(name, 60)), 6).join(", ");

/** One row of the history. */
export function fixRow({ commit, type, title, tests, files, ...fix }: FixRecord): string {
  const facts = [
    fix.category,
    fix.iteration === undefined ? undefined : `iteration ${fix.iteration}`,
    fix.distro,
    tests.length > 0 ? `for ${few(tests)}` : undefined,
    files.length > 0 ? `in ${few(files)}` : undefined,
    fix.revertedBy === undefined ? undefined : `reverted by ${short(fix.revertedBy)}`,
  ].filter((fact) => fact !== undefined);
  const what = type === "other" ? "by hand" : type;
  return `- ${short(commit)} ${what}: ${title}${facts.length > 0 ? ` (${facts.join("; ")})` : ""}`;
}

/** A fix for a test that does not exist is kept, and found under no test later: that is worth a word. */
export function strangersText(
  tests: readonly string[],
  session: Pick<SessionCommands, "tests">,
): string | undefined {
  if (tests.length === 0) return undefined;
  const known = session.tests().flatMap(({ id, name }) => [id, name]).concat(loadId, loadName);
  const rows = [...new Set(tests)].filter((test) => !known.includes(test)).map((test) => {
    const near = didYouMean(test, known);
    return `"${firstLine(test, 60)}"${near === undefined ? "" : ` (did you mean "${near}"?)`}`;
  });
  if (rows.length === 0 || session.tests().length === 0) return undefined;
  return `Note: no test of this session is called ${
    listed(rows, 5).join(", ")
  }; fix and test are not connected`;
}

export const patternRows = ({ oscillating, repeated }: FixPatterns): string[] => [
  ...oscillating.map(({ test, commits }) =>
    `Back and forth: ${firstLine(test, 60)} was fixed, disturbed and fixed again (${
      commits.map(short).join(", ")
    })`
  ),
  ...repeated.map(({ file, commits }) =>
    `Again: ${commits.map(short).join(", ")} make the same change of ${file}`
  ),
];

export function reloadText(reload: ReloadReport | undefined): string {
  if (!reload) return "Next: pth_reload_plugin({}), then pth_run_test_suite({ failedOnly: true }).";
  const { added, removed, changed, total } = reload.tools;
  const differences = [
    added.length > 0 && `added ${added.join(", ")}`,
    removed.length > 0 && `removed ${removed.join(", ")}`,
    changed.length > 0 && `changed ${changed.join(", ")}`,
  ].filter((part) => part !== false);
  return lines(
    `The plugin runs with it: ${count(total, "tool")}${
      differences.length > 0 ? ` (${differences.join("; ")})` : ""
    }`,
    reload.contract && contractText(reload.contract),
    ...orphanRows(reload.closed),
    "Next: pth_run_test_suite({ failedOnly: true }).",
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
