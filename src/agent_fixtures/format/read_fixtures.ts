/** Reads fixtures with their tests: every mistake of every file is named at its place, before anything starts. */
import { join, posix } from "node:path";
import type { AgentFixture, AgentTest } from "../../../machines/model/agent_fixture.ts";
import { invalidTestFiles, type Problem } from "../../core/problems.ts";
import { schemaMistakes } from "../../core/schema_mistakes.ts";
import { isObject } from "../../core/values.ts";
import type { ConfinedFolder } from "../../platform/confined/open_confined.ts";
import { findPlugin } from "../../plugin/find_plugin.ts";
import { readDocument, readDocuments } from "../../testing/format/read_documents.ts";
import { expandMatrix, mostVariants } from "./expand_matrix.ts";
import { findFixtures, fixtureFile, type FoundFixture } from "./find_fixtures.ts";
import { agentsSchema, fixtureSchema, type FixtureText } from "./fixture_schema.ts";
import { lintFixture } from "./lint_fixture.ts";
import { planTest, type TestPlace } from "./plan_test.ts";

/** Files that a fixture is made of, below the root. */
export interface FixtureOrigin {
  /** Folder of `fixture.yaml`. */
  folder: string;
  /** Files and folders elsewhere that its tests name: what projects begin with, playbooks, code. */
  reads: ReadonlySet<string>;
}

export interface ReadFixtures {
  fixtures: AgentFixture[];
  /** Folder outside of which nothing is read. */
  root: string;
  /** By the names of the fixtures. */
  origins: ReadonlyMap<string, FixtureOrigin>;
  /** Observations that are no mistakes, at their places. */
  lints: Problem[];
}

/**
 * @param place Folder with fixtures below it, a fixture's folder, or the file of one test
 * @param above Folder that is read where no repository holds them, without links; absent: the one that was named
 * @throws {PthError} `TARGET_NOT_FOUND`, `INVALID_TEST_FILE` with every problem
 */
export async function readFixtures(place: string, above?: string): Promise<ReadFixtures> {
  const { files, fixtures: found, isRepository } = await findFixtures(place, above);
  const problems: Problem[] = [];
  const lints: Problem[] = [];
  const fixtures: AgentFixture[] = [];
  const names = new Map<string, string>();
  const origins = new Map<string, FixtureOrigin>();
  for (const each of found) {
    const file = join(files.root, each.folder, fixtureFile);
    const document = await readDocument(files, posix.join(each.folder, fixtureFile), problems);
    if (document === undefined) continue;
    const mistakes = schemaMistakes(file, document, document.value, fixtureSchema);
    problems.push(...mistakes);
    if (mistakes.length > 0) continue;
    const fixture = fixtureSchema.parse(document.value);
    const other = names.get(fixture.name);
    if (other !== undefined) {
      const message = `another fixture is called "${fixture.name}": ${other}`;
      problems.push({ file, ...document.place(["name"]), message });
    }
    names.set(fixture.name, file);
    const plugin = await pluginOf(
      files,
      each,
      fixture,
      (path, message) => problems.push({ file, ...document.place(path), message }),
    );
    const reads = new Set<string>();
    origins.set(fixture.name, { folder: each.folder, reads });
    const tests = await testsOf({ files, found: each, fixture, isRepository, reads }, problems);
    lints.push(...lintFixture(file, tests));
    fixtures.push({
      name: fixture.name,
      description: fixture.description ?? "",
      plugin: join(files.root, plugin ?? ""),
      tests,
    });
  }
  if (problems.length > 0) throw invalidTestFiles(distinct(problems), "fixtures");
  return { fixtures, root: files.root, origins, lints };
}

/** Variants of one test have the same mistakes. */
const distinct = (problems: readonly Problem[]): Problem[] => [
  ...new Map(problems.map((problem) => [JSON.stringify(problem), problem])).values(),
];

type Complain = (path: (string | number)[], message: string) => void;

async function pluginOf(
  files: ConfinedFolder,
  { folder }: FoundFixture,
  { package: named, setup }: FixtureText,
  complain: Complain,
): Promise<string | undefined> {
  const { plugins = [] } = setup ?? {};
  const wanted = [...new Set([...(named === undefined ? [] : [named]), ...plugins])];
  const path = named === undefined ? ["setup", "plugins"] : ["package"];
  if (wanted.length > 1) {
    complain(
      path,
      `expected one plugin: sessions load the plugin under test alone, not ${wanted.join(", ")}`,
    );
    return undefined;
  }
  const plugin = await findPlugin(files, folder, wanted[0]);
  if (plugin === undefined) {
    complain(
      wanted.length === 0 ? [] : path,
      wanted.length === 0
        ? "expected package: no plugin holds the fixture"
        : `there is no plugin ${wanted[0]} in the folders above, nor in their marketplaces`,
    );
  }
  return plugin;
}

async function testsOf(
  place: Omit<TestPlace, "file" | "document">,
  problems: Problem[],
): Promise<AgentTest[]> {
  const tests: AgentTest[] = [];
  for (const path of place.found.tests) {
    const file = join(place.files.root, path);
    for (const document of await readDocuments(place.files, path, problems)) {
      const matrix = { ...matrixOf(place.fixture), ...matrixOf(document.value) };
      const agents = agentsOf(document.value, place.fixture);
      if (agents !== undefined && matrix.agent !== undefined) {
        const message = "the matrix names agents, too: leave out one of matrix.agent and execution.agents";
        problems.push({ file, ...document.place(["execution", "agents"]), message });
      }
      const { variants, count, unknown } = expandMatrix(document.value, matrix, agents);
      for (const name of unknown) {
        const message = `\${matrix.${name}} is not in the matrix`;
        problems.push({ file, ...document.place([]), message });
      }
      if (count > mostVariants) {
        const message = `expected at most ${mostVariants} variants of a test, the matrix makes ${count}`;
        problems.push({ file, ...document.place(["matrix"]), message });
      }
      for (const variant of variants) {
        const test = await planTest(variant, { ...place, file, document }, problems);
        if (test === undefined) continue;
        if (tests.some(({ id }) => id === test.id)) {
          const message = `another test of the fixture is called "${test.id}"`;
          problems.push({ file, ...document.place(["test_id"]), message });
        }
        tests.push(test);
      }
    }
  }
  return tests;
}

/**
 * Agents on each of which a test runs: its own, else those of its fixture where it names none itself. A list with mistakes
 * stays in the test, where the schema tells them.
 */
function agentsOf(value: unknown, { execution: { agents } = {} }: FixtureText): string[] | undefined {
  const own = isObject(value) && isObject(value.execution) ? value.execution : {};
  if (own.agent !== undefined) return undefined;
  if (own.agents !== undefined) return agentsSchema.safeParse(own.agents).data;
  return matrixOf(value).agent === undefined ? agents : undefined;
}

/** Values of a matrix; what is no list is a mistake that the schema tells. */
const matrixOf = (value: unknown): Record<string, (string | number | boolean)[]> =>
  isObject(value) && isObject(value.matrix)
    ? Object.fromEntries(
      Object.entries(value.matrix).filter((entry): entry is [string, (string | number | boolean)[]] =>
        Array.isArray(entry[1]) && entry[1].length > 0
      ),
    )
    : {};
