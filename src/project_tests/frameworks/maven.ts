import type { TestLevel } from "../../../machines/model/project_test.ts";
import { findFiles } from "../count_files.ts";
import { defineFramework, type ProbeResult, type TestProject } from "../framework.ts";
import { shellCommands } from "../javascript/shell_words.ts";
import { junitListenerFiles } from "../junit_listener_files.ts";
import { assetText } from "../../platform/asset_text.ts";
import { javaSourceFile, type JavaSources, javaSources } from "../readers/java_failure.ts";
import { createMavenReader } from "../readers/maven_reader.ts";
import { javacErrors } from "../readers/javac_errors.ts";
import { eventsVariable, unnumbered } from "../readers/reported_events.ts";
import { functionsToTrace } from "../stack_frames.ts";
import { filesOfLevel } from "../test_levels.ts";

const testFile =
  /(?:^|\/)src\/\w*[tT]est\w*\/.*(?:Tests?|TestCase|IT|Spec|Suite)\.(?:java|kt|groovy|scala)$|(?:^|\/)Test\w+\.java$/;
const ofMaven = /^(?:\S*\/)?mvnw?$/;
const phases = /^(?:clean|validate|compile|test-compile|test|package|verify|install)$/;
/** Classes that are named on a command line. */
const mostClasses = 500;

/** Findings of a project whose run was planned, for its reader. */
const known = new WeakMap<TestProject["folder"], { program: string; sources: JavaSources }>();

export default defineFramework({
  name: "maven",
  summary:
    "runs `mvn test` with a listener of JUnit's platform (JUnit 5, and 4 by its vintage engine), live; tests of JUnit 3 and 4 " +
    "and TestNG are read from Surefire's reports at the end; levels are names of classes and folders",
  language: "java",
  buildSystem: "maven",
  detectedBy: "`pom.xml`",
  needs: ({ folder }) => [known.get(folder)?.program ?? "mvn"],
  async detect({ folder, request: { command } }) {
    if (command !== undefined && !ofMaven.test(wordsOf(command)[0] ?? "")) return undefined;
    return await folder.exists("pom.xml") ? { confidence: 90, reason: "pom.xml" } : undefined;
  },
  async plan(project, { scratch, events }) {
    const { folder, request: { command, level, test } } = project;
    const [given, ...options] = command === undefined ? [] : wordsOf(command);
    const program = given ?? (await folder.exists("mvnw") ? "./mvnw" : "mvn");
    known.set(folder, { program, sources: javaSources(await findFiles(folder, javaSourceFile)) });
    const maven = [program, "-B", "-Dstyle.color=never", ...options.filter((word) => !phases.test(word))];
    const chosen = test !== undefined
      ? [`-Dtest=${patternOf(test)}`]
      : level === undefined
      ? []
      : [`-Dtest=${await classesOfLevel(project, level)}`];
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
  readPreparation: readMavenBuild,
  reader(project) {
    const { folder, request: { test } } = project;
    return createMavenReader(project, {
      sources: known.get(folder)?.sources ?? new Map(),
      drops: (name) => test !== undefined && isOther(name, test),
    });
  },
  rerun: ({ name, suite }, { folder }) => ({
    argv: [
      known.get(folder)?.program ?? "mvn",
      ...(suite === undefined ? [] : ["-pl", suite, "-am", "-Dsurefire.failIfNoSpecifiedTests=false"]),
      `-Dtest=${patternOf(unnumbered(name))}`,
      "test",
    ],
  }),
  suggestTraces: ({ stack }) => functionsToTrace(stack),
  async withoutTests({ folder }) {
    return {
      language: "java",
      buildSystem: "maven",
      testFiles: (await findFiles(folder, testFile)).length,
      hint:
        "No tests found. Surefire takes classes *Test: add org.junit.jupiter:junit-jupiter with the scope test to pom.xml, and " +
        "write src/test/java/FirstTest.java with class FirstTest { @Test void adds() { assertEquals(2, 1 + 1); } }",
    };
  },
});

const wordsOf = (command: string): string[] => shellCommands(command)[0]?.map(({ text }) => text) ?? [];

/** `demo.SumTest#isOdd(int)[2]` is chosen by `demo.SumTest#isOdd`; `SumTest.adds` and `adds` alone are taken, too. */
function patternOf(test: string): string {
  const name = test.replace(/(?:\([^)]*\))?(?:\[[^\]]*\])*$/s, "").replace(/ > .*$/s, "");
  if (name.includes("#") || /[A-Z]\w*$/.test(name)) return name;
  const [, type, method = name] = /^(.*)\.(\w+)$/s.exec(name) ?? [];
  return `${type ?? "*"}#${method}`;
}

/** Whether a name is of another test than the one that was asked for: methods of one name may take several parameters. */
function isOther(name: string, asked: string): boolean {
  return /\]$/.test(asked) && name !== asked && !name.endsWith(`.${asked}`);
}

/**
 * @throws {PthError} `INVALID_INPUT` where the project does not tell levels apart
 */
async function classesOfLevel({ folder }: TestProject, level: TestLevel): Promise<string> {
  const files = await findFiles(folder, testFile);
  const shown = new Map(files.map((file) => [levelWords(file), file]));
  const classes = filesOfLevel([...shown.keys()], level).map((words) =>
    shown.get(words)!.replace(/^.*\//, "").replace(/\.\w+$/, "")
  );
  return [...new Set(classes)].slice(0, mostClasses).join(",");
}

/** Path in which the words of a class's name stand apart, by which levels are known: `SumIT` is an integration test. */
const levelWords = (file: string): string =>
  file.replace(/(IT|ITCase)(?=\.\w+$)/, "Integration").replace(
    /[^/]*$/,
    (name) => name.replace(/([a-z0-9])(?=[A-Z])/g, "$1-").replace(/-Tests?(?=\.\w+$)/, ""),
  );

function readMavenBuild({ stdout, stderr }: ProbeResult, { root }: TestProject) {
  return javacErrors(`${stdout}\n${stderr}`, root);
}
