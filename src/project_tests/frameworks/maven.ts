import { findFiles } from "../count_files.ts";
import { defineFramework, type TestProject } from "../framework.ts";
import { classesOfLevel, isOtherJavaTest, javaTestFile, javaTestParts } from "../java_tests.ts";
import { shellCommands } from "../javascript/shell_words.ts";
import { junitListenerFiles } from "../junit_listener_files.ts";
import { assetText } from "../../platform/asset_text.ts";
import { javaSourceFile, type JavaSources, javaSources } from "../readers/java_failure.ts";
import { createMavenReader } from "../readers/maven_reader.ts";
import { javacErrors } from "../readers/javac_errors.ts";
import { eventsVariable, unnumbered } from "../readers/reported_events.ts";
import { functionsToTrace } from "../stack_frames.ts";

const ofMaven = /^(?:\S*\/)?mvnw?$/;
const phases = /^(?:clean|validate|compile|test-compile|test|package|verify|install)$/;

/** Findings of a project whose run was planned, for its reader. */
const known = new WeakMap<TestProject["folder"], { command: string[]; sources: JavaSources }>();

export default defineFramework({
  name: "maven",
  summary:
    "runs `mvn test`, live test by test on JUnit's platform, class by class from Surefire's reports for JUnit 4 and " +
    "TestNG; levels are names of classes and folders",
  language: "java",
  buildSystem: "maven",
  detectedBy: "`pom.xml`",
  takesCommands: true,
  needs: ({ folder }) => [known.get(folder)?.command[0] ?? "mvn"],
  async detect({ folder, request: { command } }) {
    if (command !== undefined && !ofMaven.test(wordsOf(command)[0] ?? "")) return undefined;
    return await folder.exists("pom.xml") ? { confidence: 90, reason: "pom.xml" } : undefined;
  },
  async plan(project, { scratch, events }) {
    const { folder, request: { command, level, test } } = project;
    const [given, ...options] = command === undefined ? [] : wordsOf(command);
    const program = given ?? (await folder.exists("mvnw") ? "./mvnw" : "mvn");
    const own = options.filter((word) => !phases.test(word));
    const sources = javaSources(await findFiles(folder, javaSourceFile));
    known.set(folder, { command: [program, ...own], sources });
    const maven = [program, "-B", "-Dstyle.color=never", ...own];
    const classes = test === undefined && level !== undefined ? await classesOfLevel(folder, level) : [];
    const pattern = test === undefined ? classes.join(",") : patternOf(test);
    const chosen = pattern === "" ? [] : [`-Dtest=${pattern}`];
    // Modules without such a test are no failure; the second is for Surefire 2.
    const lenient = chosen.length === 0
      ? []
      : ["-Dsurefire.failIfNoSpecifiedTests=false", "-DfailIfNoTests=false"];
    const runner = ["sh", `${scratch}/maven_runner.sh`, scratch];
    return {
      files: {
        ...junitListenerFiles(),
        "maven_runner.sh": assetText("project_tests/maven_runner.sh"),
      },
      preparation: [
        { argv: [...maven, "test-compile"] },
        { argv: ["sh", `${scratch}/build_listener.sh`, scratch] },
      ],
      runs: [{
        argv: [...runner, ...maven, "--fail-at-end", ...chosen, ...lenient, "test"],
        env: { [eventsVariable]: events },
      }],
    };
  },
  readPreparation: ({ stdout, stderr }, { root }) => javacErrors(`${stdout}\n${stderr}`, root),
  reader(project) {
    const { folder, request: { test } } = project;
    return createMavenReader(project, {
      sources: known.get(folder)?.sources ?? new Map(),
      drops: (name) => test !== undefined && isOtherJavaTest(name, test),
    });
  },
  rerun: ({ name, suite }, { folder }) => ({
    argv: [
      ...(known.get(folder)?.command ?? ["mvn"]),
      ...(suite === undefined ? [] : ["-pl", suite, "-am", "-Dsurefire.failIfNoSpecifiedTests=false"]),
      `-Dtest=${patternOf(unnumbered(name))}`,
      "test",
    ],
  }),
  suggestTraces: ({ stack }) => functionsToTrace(stack),
  runnerThreads: "surefire",
  async withoutTests({ folder }) {
    return {
      language: "java",
      buildSystem: "maven",
      testFiles: (await findFiles(folder, javaTestFile)).length,
      hint:
        "No tests found. Surefire takes classes *Test: add org.junit.jupiter:junit-jupiter with the scope test to pom.xml, and " +
        "write src/test/java/FirstTest.java with class FirstTest { @Test void adds() { assertEquals(2, 1 + 1); } }",
    };
  },
});

const wordsOf = (command: string): string[] => shellCommands(command)[0]?.map(({ text }) => text) ?? [];

/** Pattern of Surefire, in which `*` stands for any text. */
function patternOf(test: string): string {
  const { type = "*", method } = javaTestParts(test);
  return method === undefined ? type : `${type}#${method}`;
}
