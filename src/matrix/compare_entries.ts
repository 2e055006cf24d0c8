/** Compares results between distributions: failures of one are distinguished from failures of all. */
import type { DiagnosisReport } from "../../machines/model/diagnosis.ts";
import { firstLine } from "../core/text.ts";
import type { MatrixDifference } from "../../machines/model/matrix.ts";
import type { TestResult } from "../../machines/model/test_result.ts";
import { definedOnly } from "../core/values.ts";

type ComparedResult = Pick<TestResult, "id" | "name" | "status" | "category" | "message">;

/** An entry whose tests could be run. */
export interface TestedEntry {
  name: string;
  results: readonly ComparedResult[];
  diagnosis?: Pick<DiagnosisReport, "groups">;
}

/** Tests that fail anywhere, or whose status differs; those of some entries first. */
export function compareEntries(entries: readonly TestedEntry[]): MatrixDifference[] {
  const names = new Map(entries.flatMap(({ results }) => results.map(({ id, name }) => [id, name])));
  return [...names].map(([id, name]) => difference(id, name, entries))
    .filter((one) => one.failsOn.length > 0 || new Set(Object.values(one.statuses)).size > 1)
    .sort((a, b) => weight(a) - weight(b));
}

/** Sorts failures of a single distribution first: they are the news. */
const weight = ({ failsOn, everywhere }: MatrixDifference): number =>
  failsOn.length === 0 ? 2 : everywhere ? 1 : 0;

function difference(id: string, name: string, entries: readonly TestedEntry[]): MatrixDifference {
  const ran = entries.flatMap((entry) => {
    const result = entry.results.find((one) => one.id === id);
    return result === undefined ? [] : [{ entry, result }];
  });
  const failed = ran.filter(({ result }) => result.status === "failed");
  // A test that was skipped somewhere says nothing about that distribution.
  const judged = ran.filter(({ result }) => result.status !== "skipped");
  const [first] = failed;
  return definedOnly({
    id,
    name,
    statuses: Object.fromEntries(ran.map(({ entry, result }) => [entry.name, result.status])),
    failsOn: failed.map(({ entry }) => entry.name),
    everywhere: failed.length > 0 && judged.length === failed.length &&
      (failed.length > 1 || entries.length === 1),
    cause: first && causeOf(first.entry, first.result),
  });
}

/** Cause as diagnosed, else the message of the test. */
function causeOf({ diagnosis }: TestedEntry, { id, category, message = "failed" }: ComparedResult) {
  const group = diagnosis?.groups.find(({ testIds }) => testIds.includes(id));
  const place = group?.place && `${group.place.path}:${group.place.line}`;
  return definedOnly({
    category: group?.category ?? category,
    message: group?.cause ?? firstLine(message),
    place,
  });
}

/** `only on debian13`, `on debian13 and fedora`, `on all`: where it fails, in words; empty where it fails nowhere. */
export function whereItFails(
  { failsOn, everywhere }: Pick<MatrixDifference, "failsOn" | "everywhere">,
): string {
  if (failsOn.length === 0) return "";
  if (everywhere) return failsOn.length === 1 ? `on ${failsOn[0]}` : "on all";
  return failsOn.length === 1
    ? `only on ${failsOn[0]}`
    : `on ${failsOn.slice(0, -1).join(", ")} and ${failsOn.at(-1)}`;
}
