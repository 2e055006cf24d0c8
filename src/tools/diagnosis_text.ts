/** A diagnosis for whoever reads it: root causes first, then what was asked for in detail. */
import type {
  Diagnosis,
  DiagnosisReport,
  FailureGroup,
  SourcePlace,
} from "../../machines/model/diagnosis.ts";
import { cutLists } from "./capped.ts";
import { head } from "./head.ts";
import { tail } from "./tail.ts";
import { count, firstLine, lines, listed } from "./words.ts";

export const details = ["exchange", "stderr", "stdout", "source", "environment"] as const;
export type Detail = typeof details[number];

const groupsShown = 20;
const testsShown = 5;
/** Failures that details are shown of; each group's first. */
const detailedGroups = 5;

export function diagnosisText({ groups, diagnoses }: DiagnosisReport, wanted: readonly Detail[]): string {
  if (groups.length === 0) return "No failure to diagnose: no test failed in its latest run.";
  const names = new Map(diagnoses.map(({ testId, testName }) => [testId, testName]));
  const firsts = groups.slice(0, detailedGroups)
    .map(({ testIds }) => diagnoses.find(({ testId }) => testId === testIds[0])!);
  return lines(
    environmentText(diagnoses[0]!),
    `${count(diagnoses.length, "failure")}, ${count(groups.length, "root cause")}:`,
    ...listed(
      groups.map((group, index) => groupText(group, index + 1, names, diagnoses)),
      groupsShown,
      "more root causes",
    ),
    ...(wanted.length === 0 ? [] : firsts.map((diagnosis) => detailText(diagnosis, wanted))),
  );
}

function groupText(
  { id, category, cause, place, testIds }: FailureGroup,
  number: number,
  names: ReadonlyMap<string, string>,
  diagnoses: readonly Diagnosis[],
): string {
  const first = diagnoses.find(({ testId }) => testId === testIds[0])!;
  const others = first.places.filter((other) => other !== place).slice(0, 3).map(placeText);
  return lines(
    `${number}. ${category}${place ? ` at ${placeText(place)}` : ""} (${id})`,
    `   ${firstLine(cause, 300)}`,
    callText(first),
    others.length > 0 && `   also look at: ${others.join(", ")}`,
    `   ${count(testIds.length, "test")}: ${
      listed(testIds.map((each) => names.get(each)!), testsShown).join("; ")
    }`,
    first.previousFixes.length > 0 &&
      `   fixed before: ${
        listed(first.previousFixes.map(({ commit, title }) => `${commit.slice(0, 8)} ${title}`), 3).join("; ")
      }`,
  );
}

/** What the first of the tests called, and what came. */
function callText({ tool, input, expected, actual }: Diagnosis): string | false {
  if (tool === undefined) return false;
  const came = actual === undefined ? "" : `, got ${short(actual)}`;
  const wanted = expected === undefined ? "" : `: expected ${short(expected)}${came}`;
  return `   call: ${tool}(${short(input)})${wanted}`;
}

const short = (value: unknown): string => firstLine(JSON.stringify(value) ?? "nothing", 160);

const placeText = ({ path, line, name }: SourcePlace): string => `${path}:${line}${name ? ` (${name})` : ""}`;

/** Before any test is blamed. */
const environmentText = ({ environment: { problems } }: Diagnosis): string | undefined =>
  problems.length === 0
    ? undefined
    : `The environment is degraded, which may be the cause: ${
      listed(problems, 3).join("; ")
    }. Make it whole first: pth_rollback_environment, or pth_reprovision_environment({}).`;

function detailText(diagnosis: Diagnosis, wanted: readonly Detail[]): string {
  const { testName, evidence, error, exchange, stderr, stdout = "", commands = [], excerpts, environment } =
    diagnosis;
  const sections: Record<Detail, () => string | false> = {
    exchange: () =>
      exchange.length > 0 &&
      `exchange:\n${exchange.slice(-6).map((each) => JSON.stringify(each).slice(0, 2000)).join("\n")}`,
    stderr: () => stderr.trim() !== "" && `stderr:\n${tail(stderr, { lines: 40, characters: 4000 }, "")}`,
    stdout: () =>
      lines(
        stdout !== "" && `stdout that is no protocol:\n${tail(stdout, { lines: 20, characters: 2000 }, "")}`,
        ...commands.map((each) =>
          `verify "${firstLine(each.exec, 120)}" exited with ${each.code}\n${
            tail(`${each.stdout}${each.stderr}`, { lines: 10, characters: 1000 }, "")
          }`
        ),
      ),
    source: () =>
      excerpts.map(({ path, from, text, leftOut }) =>
        lines(`${path}:`, numbered(from, text), leftOut !== undefined && `      (${leftOut})`)
      ).join("\n"),
    environment: () => factsText(environment),
  };
  return lines(
    `\n— ${testName}`,
    ...evidence.map((sentence) => `  ${firstLine(sentence, 400)}`),
    `error:\n${head(error, 2000)}`,
    ...wanted.map((each) => sections[each]()),
    ...(diagnosis.cut ?? []),
  );
}

function factsText(facts: Diagnosis["environment"]): string {
  const { problems, processes, diskUsedPercent, memoryUsedPercent, oomKills, failedServices = [] } = facts;
  const { changedFiles = [] } = facts;
  return lines(
    `environment: ${
      [
        `${processes} processes`,
        diskUsedPercent !== undefined && `disk ${Math.round(diskUsedPercent)} % used`,
        memoryUsedPercent !== undefined && `memory ${Math.round(memoryUsedPercent)} % used`,
        oomKills && `${oomKills} ended for want of memory`,
        failedServices.length > 0 && `failed services: ${failedServices.join(", ")}`,
        problems.join(" ") || "healthy",
      ].filter(Boolean).join("; ")
    }`,
    changedFiles.length > 0 && `files in no commit: ${listed(changedFiles, 10).join(", ")}`,
  );
}

const numbered = (from: number, text: string): string =>
  text.split("\n").map((line, index) => `${String(from + index).padStart(5)} ${line}`).join("\n");

/** Of structured answers. */
export const groupsGiven = 20;
const testsGiven = 10;
const diagnosesGiven = 40;
/** Characters for failures that come whole. One that was asked for alone has room for all that was kept of it. */
const room = { alone: 400_000, detailed: 80_000, plain: 60_000 };

/** A root cause with the first of its tests. */
export const groupData = ({ cause, testIds, ...group }: FailureGroup) => ({
  ...group,
  cause: firstLine(cause, 300),
  ...cutLists({ testIds }, testsGiven),
});

/** Structured content within bounds: the groups' first failures come whole as long as there is room, the others in short. */
export function diagnosisData({ groups, diagnoses }: DiagnosisReport, wanted: readonly Detail[]) {
  const firsts = new Set(groups.map(({ testIds }) => testIds[0]));
  const ordered = diagnoses.toSorted((a, b) => Number(firsts.has(b.testId)) - Number(firsts.has(a.testId)));
  let left = diagnoses.length === 1 ? room.alone : wanted.length > 0 ? room.detailed : room.plain;
  const given = ordered.slice(0, diagnosesGiven).map((diagnosis) => {
    const size = JSON.stringify(diagnosis).length;
    if (size > left) return inShort(diagnosis);
    left -= size;
    return diagnosis;
  });
  const leftOut = diagnoses.length - given.length;
  const { leftOut: causesLeftOut, ...causes } = cutLists({ groups: groups.map(groupData) }, groupsGiven);
  return {
    ...causes,
    diagnoses: given,
    ...(leftOut > 0 || causesLeftOut
      ? { leftOut: { diagnoses: leftOut, groups: causesLeftOut?.groups ?? 0 } }
      : {}),
  };
}

const inShort = (
  { testId, testName, tool, category, places, error, evidence, previousFixes }: Diagnosis,
) => ({
  testId,
  testName,
  ...(tool === undefined ? {} : { tool }),
  category,
  places: places.slice(0, 1),
  error: firstLine(error, 300),
  evidence: evidence.slice(0, 1).map((sentence) => firstLine(sentence, 200)),
  previousFixes: previousFixes.slice(0, 2),
  leftOut: "exchange, output, source and values: ask for this test alone, with detail",
});
