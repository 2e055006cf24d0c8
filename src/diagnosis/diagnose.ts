/**
 * Diagnoses failed tests: collects facts, finds source locations, groups failures by root cause.
 *
 * PTH states facts and source lines; the reader of the diagnosis decides what to change.
 */
import { firstLine } from "../core/text.ts";
import type { Diagnosis, DiagnosisReport, SourcePlace } from "../../machines/model/diagnosis.ts";
import type { StackFrame } from "../../machines/model/stuck.ts";
import type { TestCase } from "../../machines/model/test_case.ts";
import type { TestResult } from "../../machines/model/test_result.ts";
import type { PthError } from "../core/errors.ts";
import { failedCall } from "../testing/judge/failed_call.ts";
import { categorizeFailure, exceptionIn } from "./categorize_failure.ts";
import { excerptsAround } from "./excerpts_around.ts";
import type { TestEvidence } from "../testing/evidence/failure_evidence.ts";
import { cluesFor, findClues } from "./find_clues.ts";
import { calledNear, enclosingName, findHandler, type ToolHandlerSource } from "./find_handler.ts";
import { commonWords, type ExaminedFailure, groupFailures } from "./group.ts";
import { loadId, loadName, loadSymptoms } from "./load_failure.ts";
import { flakyHints } from "./flaky_hints.ts";
import { type SourceFolders, sourcePlaces } from "./source_places.ts";
import { isBuildOutput, type PluginSources } from "../plugin/plugin_sources.ts";
import { sourceFile } from "./source_files.ts";
import { answerIn, findMissing, type Symptoms, symptomsText } from "./symptoms.ts";

export interface FailedTest {
  test: TestCase;
  result: TestResult;
  /** Evidence of the failure; absent if no server was running. */
  evidence?: TestEvidence;
}

export interface DiagnoseInput extends SourceFolders {
  failures: readonly FailedTest[];
  /** Error of the latest load or reload, if it failed. */
  loadFailure?: PthError;
  environment: Diagnosis["environment"];
  /** Earlier fixes of a test or of files, the newest first. */
  previousFixes(test: { id: string; name: string }, files: string[]): Diagnosis["previousFixes"];
}

export async function diagnose(input: DiagnoseInput): Promise<DiagnosisReport> {
  const ownModules = await ownModulesOf(input);
  const handlers = new Map<string, Promise<ToolHandlerSource | undefined>>();
  const handlerOf = (tool: string | undefined) => {
    if (tool === undefined) return Promise.resolve(undefined);
    const known = handlers.get(tool) ?? findHandler(tool, input.sources);
    handlers.set(tool, known);
    return known;
  };
  const examined: ExaminedFailure[] = [];
  if (input.loadFailure) {
    const symptoms = loadSymptoms(input.loadFailure, ownModules);
    examined.push(await examine({ testId: loadId, testName: loadName }, symptoms, {}, undefined, input));
  }
  for (const failure of input.failures) {
    const { test, evidence } = failure;
    const handler = await handlerOf(failedCall(test, failure.result.failedStep)?.tool);
    const symptoms = symptomsOf(failure, ownModules);
    const found = await examine(identity(failure), symptoms, evidence ?? {}, handler, input);
    const { status, flakiness } = failure.result;
    if (status === "flaky" && flakiness) {
      found.diagnosis.evidence.unshift(...flakyHints(flakiness, found.diagnosis.excerpts));
    }
    examined.push(found);
  }
  return { groups: groupFailures(examined), diagnoses: examined.map(({ diagnosis }) => diagnosis) };
}

type Identity = Pick<Diagnosis, "testId" | "testName" | "tool" | "input" | "expected" | "actual">;

const identity = ({ test, result: { expected, actual, failedStep } }: FailedTest): Identity => ({
  testId: test.id,
  testName: test.name,
  ...failedCall(test, failedStep),
  ...(expected === undefined ? {} : { expected }),
  ...(actual === undefined ? {} : { actual }),
});

function symptomsOf({ test, result, evidence }: FailedTest, isOwnModule: Symptoms["isOwnModule"]): Symptoms {
  const message = result.message ?? "";
  const answer = answerIn(evidence?.exchange ?? []);
  return {
    verdict: result.category ?? "wrong-output",
    verdictSays: `${firstLine(message, 300)}.`,
    message,
    expected: result.expected,
    actual: result.actual,
    ...(answer === undefined ? {} : { answer }),
    output: evidence?.stderr ?? result.stderrTail ?? "",
    strayOutput: evidence?.strayOutput ?? [],
    ...(result.hang === undefined ? {} : { hang: result.hang }),
    commands: evidence?.commands ?? [],
    loading: false,
    isOwnTest: test.own !== undefined,
    isOwnModule,
  };
}

async function examine(
  who: Identity,
  symptoms: Symptoms,
  { exchange = [], cut }: Partial<TestEvidence>,
  handler: ToolHandlerSource | undefined,
  input: DiagnoseInput,
): Promise<ExaminedFailure> {
  const { category, evidence, cause } = categorizeFailure(symptoms);
  const listed = await input.sources.list();
  const named = await sourcePlaces(symptomsText(symptoms), input);
  // A place in what a build wrote is the last to look at, where there is the source that it was made from.
  const isSource = ({ path }: SourcePlace) => !isBuildOutput(path) || listed.includes(path);
  const traced = await blameCallers(named.filter(isSource), input.sources);
  const clues = await findClues(cluesFor(category, symptoms), handler, input.sources);
  const places = distinct([
    ...traced,
    ...clues.map(({ place }) => place),
    ...(handler ? [handler.place] : []),
    ...named.filter((place) => !isSource(place)),
  ]);
  const files = [...new Set(places.map(({ path }) => path))];
  const called = symptoms.isOwnTest && places[0] ? await calledNear(places[0], input.sources) : [];
  const missing = category === "dependency-error" ? findMissing(symptomsText(symptoms)) : undefined;
  return {
    strength: traced.length > 0 ? "trace" : clues.length > 0 ? "clue" : handler ? "handler" : "none",
    cause,
    ...await ownerOf(places[0], input.sources),
    words: commonWords(errorWords(symptoms), who.tool, who.input),
    ...(missing === undefined ? {} : { missing: `${missing.kind} ${missing.name}` }),
    diagnosis: {
      ...who,
      category,
      evidence: [
        ...evidence,
        ...hangEvidence(symptoms),
        ...(traced[0] ? [`The output names ${placeText(traced[0])}.`] : []),
        ...clues.map(({ says }) => says),
        ...(handler ? [`The handler is at ${placeText(handler.place)}.`] : []),
      ],
      error: symptoms.message,
      exchange,
      stderr: symptoms.output,
      ...said(symptoms),
      ...(cut === undefined || cut.length === 0 ? {} : { cut }),
      places,
      excerpts: await excerptsAround(places, handler?.blocks ?? called, input.sources),
      previousFixes: input.previousFixes({ id: who.testId, name: who.testName }, files),
      environment: input.environment,
    },
  };
}

/** One sentence for the inspection, and one for each thread whose frames it has. */
const hangEvidence = ({ hang }: Symptoms): string[] =>
  hang === undefined ? [] : [
    `Before the limit its processes were inspected; ${hang.says}.`,
    ...hang.threads.flatMap(({ waits, frames = [] }) =>
      frames.length === 0 ? [] : `${waits}, in ${frames.slice(0, mostFrames).map(frameText).join(", ")}.`
    ),
  ];

/** Frames that a sentence names. */
const mostFrames = 6;

const frameText = ({ function: name, file, line }: StackFrame): string =>
  file === undefined ? name : `${name} (${file}:${line})`;

/** Returns stray output and commands, if there were any. */
function said({ strayOutput, commands }: Symptoms): Pick<Diagnosis, "stdout" | "commands"> {
  return {
    ...(strayOutput.length === 0 ? {} : { stdout: strayOutput.join("\n") }),
    ...(commands.length === 0 ? {} : {
      commands: commands.map(({ exec, code, stdout, stderr }) => ({ exec, code, stdout, stderr })),
    }),
  };
}

/** A line that only throws what it was given (`assert`, `fail`) speaks for the one that called it. */
async function blameCallers(
  places: readonly SourcePlace[],
  sources: PluginSources,
): Promise<SourcePlace[]> {
  const throwers: SourcePlace[] = [];
  for (const place of places) {
    const line = (await sourceFile(place.path, sources))?.plain[place.line - 1] ?? "";
    if (!/\b(?:throw\s+new|raise)\s+[\w.]+\(\s*\w+\b/.test(line)) break;
    throwers.push(place);
  }
  const rest = places.slice(throwers.length);
  return rest.length === 0 ? [...places] : [...rest.slice(0, 1), ...throwers, ...rest.slice(1)];
}

/** The function around a place, else the line's words: both stay when lines move. */
async function ownerOf(
  place: SourcePlace | undefined,
  sources: PluginSources,
): Promise<Pick<ExaminedFailure, "owner">> {
  const file = place && await sourceFile(place.path, sources);
  if (!place || !file) return {};
  const words = (file.plain[place.line - 1] ?? "").trim().slice(0, 200);
  return { owner: enclosingName(file.plain, place.line) ?? words };
}

/** The error's own words, not PTH's about it: those are alike for unlike faults. */
function errorWords({ answer, output, loading, message }: Symptoms): string {
  if (answer?.isError) return answer.text;
  if (loading) return message;
  return exceptionIn(output) ?? "";
}

const placeText = ({ path, line, name }: SourcePlace): string => `${path}:${line}${name ? ` (${name})` : ""}`;

const distinct = (places: SourcePlace[]): SourcePlace[] =>
  places.filter(({ path, line }, index) =>
    places.findIndex((other) => other.path === path && other.line === line) === index
  );

/** Names by which the plugin's own modules are imported in Python and Rust. */
async function ownModulesOf({ sources }: SourceFolders): Promise<Symptoms["isOwnModule"]> {
  const names = new Set((await sources.list()).map((path) => path.split("/")[0]!.replace(/\.\w+$/, "")));
  return (name) => !name.startsWith("@") && names.has(name.split(/[./:]/)[0]!);
}
