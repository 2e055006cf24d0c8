/** Inputs that the session knows to work: those learned, of tests that passed, and of tests that the plugin brings along. */
import { join } from "node:path";
import type { StartingInput } from "../../../machines/model/fuzz.ts";
import type { TestCase } from "../../../machines/model/test_case.ts";
import { count } from "../../core/text.ts";
import { openConfined } from "../../platform/confined/open_confined.ts";
import { loadWithProblems } from "../../testing/format/load.ts";
import { defaultTestFolder } from "../../testing/format/test_folders.ts";
import { startingInputsOf } from "../../testing/fuzz/starting_inputs.ts";
import { learnedTests } from "../../testing/learn/learned_tests.ts";
import type { SessionParts } from "../session/session_parts.ts";
import { shownFolder, testFolder } from "./discover_tests.ts";
import { learnedInputs } from "./learned_inputs.ts";

/** Tests that are looked at. */
const mostTests = 1_000;

/** @throws {PthError} as `learnedInputs` */
export async function knownInputs(context: SessionParts): Promise<StartingInput[]> {
  const { tests, results } = context;
  const known = tests.all.length > 0 ? tests.all : await testsOfPlugin(context);
  const isGood = ({ id, generatedFrom }: TestCase): boolean => {
    const status = results.latest.get(id)?.status;
    // What a person wrote is meant to work until a run shows otherwise.
    return status === "passed" || (status === undefined && generatedFrom === "manual");
  };
  const learned = learnedTests(await learnedInputs(context));
  return [...learned, ...known.filter(isGood)].slice(0, mostTests).flatMap(startingInputsOf);
}

/** Tests in the plugin's folder; what cannot be read is told, and left out. */
async function testsOfPlugin(context: SessionParts): Promise<TestCase[]> {
  const { worktree, subfolder } = context.live.code.source!;
  const place = openConfined(join(worktree, subfolder));
  if (await place.stat(defaultTestFolder, { followWithin: true }) === undefined) return [];
  const shown = join(shownFolder(context), defaultTestFolder);
  const { tests, problems } = await loadWithProblems(testFolder(context), shown);
  if (problems.length > 0) {
    context.live.progress.note(
      `${count(problems.length, "mistake")} in test files; fuzzing starts without their inputs`,
    );
  }
  return tests;
}
