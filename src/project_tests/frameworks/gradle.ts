import type { ProjectTestRequest, TestLevel } from "../../../machines/model/project_test.ts";
import { assetText } from "../../platform/asset_text.ts";
import { findFiles } from "../count_files.ts";
import { defineFramework, type TestProject } from "../framework.ts";
import { classesOfLevel, isOtherJavaTest, javaTestFile, javaTestParts } from "../java_tests.ts";
import { shellCommands } from "../javascript/shell_words.ts";
import { createGradleReader } from "../readers/gradle_reader.ts";
import { javaSourceFile, type JavaSources, javaSources } from "../readers/java_failure.ts";
import { javacErrors } from "../readers/javac_errors.ts";
import { eventsVariable, unnumbered } from "../readers/reported_events.ts";
import { functionsToTrace } from "../stack_frames.ts";
import { isLevelName } from "../test_levels.ts";

const signs = ["build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"];
const buildFile = /(?:^|\/)[\w.-]+\.gradle(?:\.kts)?$/;
const ofGradle = /^(?:\S*\/)?gradlew?$/;
const usual = /^(?:clean|build|check|test|assemble)$/;
/** Tells that Gradle has ended, which it cannot say itself in all of its versions. */
const run = `"$@"
code=$?
printf '\\n{"type":"end"}\\n' >>"$${eventsVariable}"
exit $code`;

/** Findings of a project whose run was planned, for its reader. */
const known = new WeakMap<TestProject["folder"], { command: string[]; sources: JavaSources }>();

export default defineFramework({
  name: "gradle",
  summary:
    "runs Gradle's task `test` with a script of its own in the build, live; levels are tasks of these names, else names of " +
    "classes and folders",
  language: "java",
  buildSystem: "gradle",
  detectedBy: "`build.gradle`, `settings.gradle`, or either with `.kts`",
  takesCommands: true,
  needs: ({ folder }) => [known.get(folder)?.command[0] ?? "gradle"],
  async detect({ folder, request: { command } }) {
    if (command !== undefined && !ofGradle.test(wordsOf(command)[0] ?? "")) return undefined;
    for (const path of signs) if (await folder.exists(path)) return { confidence: 90, reason: path };
    return undefined;
  },
  async plan(project, { scratch, events }) {
    const { folder, request } = project;
    const [given, ...options] = request.command === undefined ? [] : wordsOf(request.command);
    const program = given ?? (await folder.exists("gradlew") ? "./gradlew" : "gradle");
    const own = options.filter((word) => !usual.test(word));
    const sources = javaSources(await findFiles(folder, javaSourceFile));
    known.set(folder, { command: [program, ...own], sources });
    const { tasks, patterns } = await choiceOf(project);
    const gradle = [
      program,
      ...["--no-daemon", "--console=plain", "--init-script", `${scratch}/gradle_listener.gradle`],
      // What listens to a build is refused where its configuration is kept.
      "-Dorg.gradle.configuration-cache=false",
      ...own,
    ];
    const chosen = patterns.length === 0 ? [] : [`-Dpth.tests=${patterns.join("\n")}`];
    return {
      files: { "gradle_listener.gradle": assetText("project_tests/gradle_listener.gradle") },
      preparation: [{ argv: [...gradle, "-Dpth.prepare=1", ...tasks] }],
      runs: [{
        argv: ["sh", "-c", run, "sh", ...gradle, `-Dpth.events=${events}`, ...chosen, "--continue", ...tasks],
        env: { [eventsVariable]: events },
      }],
    };
  },
  readPreparation: ({ stdout, stderr }, { root }) => javacErrors(`${stdout}\n${stderr}`, root),
  reader(project) {
    const { folder, request: { test } } = project;
    return createGradleReader(project, {
      sources: known.get(folder)?.sources ?? new Map(),
      drops: (name) => test !== undefined && isOtherJavaTest(name, test),
    });
  },
  rerun: ({ name, suite = "test" }, { folder }) => ({
    argv: [
      ...(known.get(folder)?.command ?? ["gradle"]),
      suite,
      "--rerun-tasks",
      "--tests",
      patternOf(unnumbered(name)),
    ],
  }),
  suggestTraces: ({ stack }) => functionsToTrace(stack),
  runnerThreads: "gradle",
  async withoutTests({ folder }) {
    return {
      language: "java",
      buildSystem: "gradle",
      testFiles: (await findFiles(folder, javaTestFile)).length,
      hint:
        "No tests found. Apply the plugin java, add testImplementation of org.junit.jupiter:junit-jupiter with " +
        "test { useJUnitPlatform() } to build.gradle, and write src/test/java/FirstTest.java with " +
        "class FirstTest { @Test void adds() { assertEquals(2, 1 + 1); } }",
    };
  },
});

const wordsOf = (command: string): string[] => shellCommands(command)[0]?.map(({ text }) => text) ?? [];

/** Names under which Gradle tells what failed outside of the methods of a class, which choose nothing. */
const wholeClass = /^(?:classMethod|initializationError|executionError)$/;

/** Pattern of Gradle's filters, in which `*` stands for any text. */
function patternOf(test: string): string {
  const { type, method } = javaTestParts(test);
  const ofClass = type === undefined ? "*" : type.includes(".") ? type : `*${type}`;
  return method === undefined || wholeClass.test(method) ? ofClass : `${ofClass}.${method}`;
}

/**
 * @throws {PthError} `INVALID_INPUT` where the project does not tell levels apart
 */
async function choiceOf(project: TestProject): Promise<{ tasks: string[]; patterns: string[] }> {
  const { test, level }: ProjectTestRequest = project.request;
  if (test !== undefined) return { tasks: await testTasks(project), patterns: [patternOf(test)] };
  if (level === undefined) return { tasks: ["test"], patterns: [] };
  const tasks = (await testTasks(project)).filter((name) => isTaskOf(name, level));
  if (tasks.length > 0) return { tasks, patterns: [] };
  // Where others have tasks of their own, unit tests are the usual ones.
  if (level === "unit" && (await testTasks(project)).length > 1) return { tasks: ["test"], patterns: [] };
  return {
    tasks: ["test"],
    patterns: (await classesOfLevel(project.folder, level)).map((name) => `*${name}`),
  };
}

const isTaskOf = (name: string, level: TestLevel) => isLevelName(name.replace(/Tests?$/, ""), level);

/** Tasks as build files define them, in Groovy and in Kotlin. */
const defined = [
  /\btask\s+(\w*[tT]est)\b/g,
  /\b(?:register|create|task)\s*(?:<[^>]*>)?\s*\(\s*["'](\w*[tT]est)["']/g,
  /\bval\s+(\w*[tT]est)\s+by\b/g,
];

/** Test tasks that the build files define, and the usual one. */
async function testTasks({ folder }: TestProject): Promise<string[]> {
  const tasks = new Set(["test"]);
  for (const path of (await findFiles(folder, buildFile)).slice(0, 100)) {
    const text = await folder.read(path) ?? "";
    for (const form of defined) for (const [, name] of text.matchAll(form)) tasks.add(name!);
  }
  return [...tasks];
}
