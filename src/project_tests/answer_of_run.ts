/** The result of a run: the answer for clients, in few words, and all that is known, for the details file. */
import type { ProjectTest, ProjectTestRequest } from "../../machines/model/project_test.ts";
import type {
  ProjectTestAnswer,
  ProjectTestFailure,
  StuckRun,
} from "../../machines/model/project_test_run.ts";
import { PthError } from "../core/errors.ts";
import { pastedWord } from "../core/shell_word.ts";
import { isSecretName } from "../plugin/declared_variables.ts";
import { count, truncate } from "../core/text.ts";
import { definedOnly } from "../core/values.ts";
import { stuckAnswers } from "./stuck_answers.ts";
import { placeHint } from "./place_hint.ts";
import { anyCommand } from "./choose_framework.ts";
import type { ProjectTestFramework, TestProject } from "./framework.ts";
import type { LiveTests } from "./live_tests.ts";
import type { RunProblem } from "./test_log.ts";

/** Failures that an answer names; the others are in the details file. */
const mostFailures = 20;
/** Characters of a message; less where there are many failures. */
const longestMessage = 1500;
const shortMessage = 500;
const fewFailures = 6;
const mostTraces = 5;

/** A run whose commands have ended. */
export interface EndedRun {
  live: LiveTests;
  framework: ProjectTestFramework;
  project: TestProject;
  stuck: readonly StuckRun[];
  /** Reason why a command was not watched for being stuck. */
  unwatched?: string;
}

/**
 * Answers with the verdict. A run without a single test, and one that does not fit together, is never a passed one.
 * @throws {PthError} `NO_TESTS_MATCH` where a test or a level was asked for, and there is none
 */
export async function answerOfRun(ended: EndedRun): Promise<ProjectTestAnswer> {
  const { live: { log, found, commands }, framework, project, stuck } = ended;
  const tests = withStuck(log.tests(), stuck);
  const others = otherFrameworks(
    found.slice(1).filter(({ framework: name }) => name !== anyCommand).map(({ framework: name, reason }) =>
      `${name} (${reason})`
    ),
  );
  if (tests.length === 0 && stuck.length === 0) {
    const none = await noTests(ended);
    if (none !== undefined) return { ...none, ...definedOnly({ hint: joined(none.hint, others) }) };
  }
  const failures = failuresOf(tests, log.problems, ended);
  const shown = failures.slice(0, mostFailures).map((failure) => shortened(failure, failures.length));
  const ends = countEnds(tests);
  const hint = joined(
    failures.length > shown.length &&
      `${count(failures.length - shown.length, "more failure")} in the details file.`,
    ends.not_finished > 0 && `${count(ends.not_finished, "test")} had begun and did not end.`,
    placeHint(ended),
    others,
  );
  return {
    framework: framework.name,
    summary: {
      passed: ends.passed + log.uncounted.passed,
      failed: failures.length + log.uncounted.failed,
      skipped: ends.skipped + log.uncounted.skipped,
      ...(stuck.length === 0 ? {} : { stuck: Math.max(1, ends.stuck) }),
      duration_ms: durationOf(commands),
    },
    failures: shown,
    ...(stuck.length === 0 ? {} : {
      stuck: stuck.flatMap((each) => stuckAnswers(each, project.root, (test) => tracesOf(framework, test))),
    }),
    ...definedOnly({ hint }),
  };
}

const durationOf = (commands: LiveTests["commands"]): number =>
  commands.reduce((sum, { kind, durationMs }) => kind === "preparation" ? sum : sum + durationMs, 0);

/** All tests, those that were stuck among them. */
export function withStuck(tests: readonly ProjectTest[], stuck: readonly StuckRun[]): ProjectTest[] {
  const names = stuck.flatMap(({ running }) => running);
  return tests.map((test) =>
    test.status === "not_finished" &&
      names.some((each) => each.name === test.name && each.suite === test.suite)
      ? { ...test, status: "stuck" }
      : test
  );
}

function countEnds(tests: readonly ProjectTest[]): Record<ProjectTest["status"], number> {
  const ends = { passed: 0, failed: 0, skipped: 0, stuck: 0, crashed: 0, not_finished: 0 };
  for (const { status } of tests) ends[status]++;
  return ends;
}

/** The answer for a project without tests; undefined where something stands against it. */
async function noTests(
  { live: { log }, framework, project }: EndedRun,
): Promise<ProjectTestAnswer | undefined> {
  if (log.problems.some(({ isBeforeTests }) => isBeforeTests)) return undefined;
  const { language, buildSystem, testFiles, hint } = await framework.withoutTests(project);
  // Some frameworks fail where there is nothing to run. A command of which nothing is known is taken at its word.
  if (log.problems.length > 0 && (testFiles > 0 || framework.name === anyCommand)) return undefined;
  const { test, level } = project.request;
  if (test !== undefined || level !== undefined) {
    const asked = test === undefined ? `of the level ${level}` : `named ${test}`;
    throw new PthError("NO_TESTS_MATCH", `Cannot run the tests: ${framework.name} has no test ${asked}`, {
      next: ["Run all tests to see their names: leave test and level out"],
    });
  }
  return {
    framework: framework.name,
    summary: null,
    no_tests: true,
    project: { language, build_system: buildSystem, test_files: testFiles },
    hint: testFiles === 0
      ? hint
      : `${framework.name} ran no test of ${
        count(testFiles, "test file")
      }, which hold none, or are left out by its ` +
        `options or configuration. ${hint}`,
  };
}

function failuresOf(
  tests: readonly ProjectTest[],
  problems: readonly RunProblem[],
  { framework, project }: EndedRun,
): ProjectTestFailure[] {
  return [
    ...problems.map(({ place, message, isBeforeTests }): ProjectTestFailure => ({
      name: isBeforeTests ? "(before the tests)" : "(the run)",
      ...definedOnly({ file: place?.file, line: place?.line }),
      message,
    })),
    ...tests.filter(({ status }) => status === "failed" || status === "crashed").map((test) => ({
      name: test.name,
      ...definedOnly({ file: test.place?.file, line: test.place?.line }),
      message: test.message ?? "",
      ...definedOnly({
        suggested_traces: tracesOf(framework, test),
        rerun: rerunOf(framework, test, project),
      }),
    })),
  ];
}

const tracesOf = (framework: ProjectTestFramework, test: ProjectTest): string[] | undefined => {
  const traces = framework.suggestTraces?.(test).slice(0, mostTraces) ?? [];
  return traces.length === 0 ? undefined : traces;
};

/** The command line that runs it alone, to be pasted into a shell in the project's folder. */
export function rerunOf(
  framework: ProjectTestFramework,
  test: ProjectTest,
  project: TestProject,
): string | undefined {
  const command = framework.rerun?.(test, project);
  if (command === undefined) return undefined;
  const variables = Object.entries({ ...project.request.env, ...command.env });
  const words = [
    // What is taken out of answers comes from the shell that it is pasted into.
    ...variables.map(([name, value]) => `${name}=${isSecretName(name) ? `"$${name}"` : pastedWord(value)}`),
    ...command.argv.map(pastedWord),
  ];
  return `${command.cwd === undefined ? "" : `cd ${pastedWord(command.cwd)} && `}${words.join(" ")}`;
}

const shortened = (failure: ProjectTestFailure, failures: number): ProjectTestFailure => ({
  ...failure,
  name: truncate(failure.name, 300),
  message: truncate(failure.message.trim(), failures > fewFailures ? shortMessage : longestMessage),
});

const otherFrameworks = (names: readonly string[]): string | undefined =>
  names.length === 0 ? undefined : `Also found, and not run: ${names.join(", ")}; name one with framework.`;

const joined = (...parts: (string | false | undefined)[]): string | undefined => {
  const said = parts.filter((part) => part !== false && part !== undefined && part !== "");
  return said.length === 0 ? undefined : said.join(" ");
};

/** All that is known of the run, as the details file holds it. */
export function detailsOf(
  { live, framework, project, stuck, unwatched }: EndedRun,
  answer: ProjectTestAnswer,
) {
  const { log, raw, commands, place } = live;
  const { request } = project;
  return {
    framework: framework.name,
    project: project.root,
    place: place.kind,
    ...namesOf(request),
    summary: answer.summary,
    tests: withStuck(log.tests(), stuck).map((test) => ({
      ...test,
      ...definedOnly({ rerun: rerunOf(framework, test, project) }),
    })),
    problems: log.problems,
    stuck,
    ...definedOnly({ unwatched }),
    commands,
    found: live.found,
    output: { stdout: raw.stdout.text(), stderr: raw.stderr.text(), events: raw.events.text() },
  };
}

export type RunDetails = ReturnType<typeof detailsOf>;

/** Values of variables may be secrets: their names are enough. */
const namesOf = ({ env, level, test, command }: ProjectTestRequest) => ({
  ...definedOnly({ level, test, command }),
  ...(env === undefined ? {} : { variables: Object.keys(env) }),
});
