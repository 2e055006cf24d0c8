/** One variant of a test with what its fixture adds: setup and teardown added up, files and playbook found. */
import { join, posix } from "node:path";
import type { AgentTest, PlannedExpectation, ProjectStart } from "../../../machines/model/agent_fixture.ts";
import type { Playbook } from "../../../machines/model/playbook.ts";
import { checkPlaybook, readPlaybook } from "../../agents/playbook/read_playbook.ts";
import { asPthError, PthError } from "../../core/errors.ts";
import type { Problem } from "../../core/problems.ts";
import { maxLength, type Path, type SourceDocument } from "../../core/read_source.ts";
import { schemaMistakes } from "../../core/schema_mistakes.ts";
import type { ConfinedFolder } from "../../platform/confined/open_confined.ts";
import { foldersFrom } from "../../plugin/find_plugin.ts";
import { expectationTypes } from "../judge_expectations.ts";
import { type Variant, variantSuffix } from "./expand_matrix.ts";
import type { FoundFixture } from "./find_fixtures.ts";
import { agentTestSchema, type AgentTestText, type FixtureText } from "./fixture_schema.ts";

export interface TestPlace {
  files: ConfinedFolder;
  found: FoundFixture;
  fixture: FixtureText;
  isRepository: boolean;
  /** Takes the files and folders that it finds, below the root. */
  reads: Set<string>;
  file: string;
  document: SourceDocument;
}

const defaultTimeoutMs = 120_000;
const longestPlaybook = 4 * maxLength;

/** Problems are added; the test is undefined where there are some. */
export async function planTest(
  { values, agent, test: value }: Variant,
  place: TestPlace,
  problems: Problem[],
): Promise<AgentTest | undefined> {
  const { file, document, fixture } = place;
  const mistakes = schemaMistakes(file, document, value, agentTestSchema);
  problems.push(...mistakes);
  if (mistakes.length > 0) return undefined;
  const before = problems.length;
  const complain = (path: Path, message: string) =>
    void problems.push({ file, ...document.place(path), message });
  const test = agentTestSchema.parse(value) as AgentTestText;
  const suffix = variantSuffix(values);
  const id = `${test.test_id}${suffix}`;
  const name = `${test.test_name ?? test.test_id}${suffix === "" ? "" : ` ${suffix}`}`;
  const execution = { ...fixture.execution, ...test.execution };
  const { model, tools } = execution;
  const playbook = await playbookOf(execution.playbook, place, complain);
  const start = await startOf(test, place, complain);
  const expectations = await expectationsOf(test, place, complain);
  if (problems.length > before) return undefined;
  return {
    ...(agent === undefined ? { id, name } : onAgent({ id, name }, agent)),
    description: test.description ?? "",
    tags: test.tags ?? [],
    file,
    line: document.place([]).line,
    ...(test.skip === undefined ? {} : { skip: test.skip }),
    agent: execution.agent ?? "claude",
    prompt: execution.prompt,
    ...(model === undefined ? {} : { model }),
    ...(tools === undefined ? {} : { tools }),
    asksPermission: execution.permissions === "ask",
    timeoutMs: execution.timeout_ms ?? defaultTimeoutMs,
    ...(playbook === undefined ? {} : { playbook }),
    start,
    expectations,
    teardown: [...test.teardown?.commands ?? [], ...fixture.teardown?.commands ?? []],
  };
}

/** Names a test that runs on several agents, each a test of its own. */
export const onAgent = (
  { id, name }: Pick<AgentTest, "id" | "name">,
  agent: string,
): Pick<AgentTest, "id" | "name" | "sharedId"> => ({
  id: `${id}[${agent}]`,
  name: `${name} [${agent}]`,
  sharedId: id,
});

type Complain = (path: Path, message: string) => void;

async function expectationsOf(
  { expectations = [] }: AgentTestText,
  place: TestPlace,
  complain: Complain,
): Promise<PlannedExpectation[]> {
  const planned: PlannedExpectation[] = [];
  for (const [index, { id: given, description, type, expected }] of expectations.entries()) {
    const definition = expectationTypes.get(type)!;
    const id = given ?? `exp-${String(index + 1).padStart(3, "0")}`;
    if (planned.some((other) => other.id === id)) {
      complain(["expectations", index], `another expectation has the id ${id}`);
    }
    let filled = expected;
    try {
      filled = await definition.withFiles?.(expected, (path) => textOf(place, path)) ?? expected;
    } catch (error) {
      complain(["expectations", index, "expected", "file"], asPthError(error, "Cannot read it").message);
    }
    planned.push({
      id,
      description: description ?? definition.describe(expected),
      type,
      expected: filled,
      line: place.document.place(["expectations", index]).line,
    });
  }
  return planned;
}

/** @throws {PthError} `TARGET_NOT_FOUND`, `PATH_REFUSED` */
async function textOf(place: TestPlace, path: string): Promise<string> {
  const at = await nearest(place, path);
  const text = at === undefined ? undefined : await place.files.readText(at, { maxBytes: longestPlaybook });
  if (text !== undefined) return text;
  throw new PthError(
    "TARGET_NOT_FOUND",
    `there is no file ${path} in the fixture's folder, nor in those above it`,
  );
}

async function startOf(
  { setup: own = {} }: AgentTestText,
  place: TestPlace,
  complain: Complain,
): Promise<ProjectStart> {
  const { files, fixture: { setup = {}, branches = {}, name }, isRepository } = place;
  const scenario = own.branch ?? setup.branch;
  const branch = scenario === undefined || scenario.includes("/") ? scenario : `test/${name}/${scenario}`;
  if (branch !== undefined && !isRepository) {
    complain(
      own.branch === undefined ? [] : ["setup", "branch"],
      `there is no branch ${branch}: the fixture is in no git repository`,
    );
  }
  const commit = branch === undefined ? undefined : branches[branch]?.commit ?? branches[scenario!]?.commit;
  const placed: ProjectStart["files"] = [];
  const lists = [setup.files ?? [], own.files ?? []];
  for (const [which, list] of lists.entries()) {
    for (const [index, { src, dest }] of list.entries()) {
      const from = await nearest(place, src);
      if (from !== undefined) placed.push({ from, to: dest });
      else {
        const whose = which === 0 ? "the fixture's setup: " : "";
        const path = which === 0 ? [] : ["setup", "files", index, "src"];
        complain(path, `${whose}there is no ${src} in the fixture's folder, nor in those above it`);
      }
    }
  }
  return {
    root: files.root,
    ...(branch === undefined ? {} : { branch }),
    ...(commit === undefined ? {} : { commit }),
    files: placed,
    git: own.git ?? setup.git ?? branch !== undefined,
    commands: [...setup.commands ?? [], ...own.commands ?? []],
  };
}

/** The path in the nearest folder, from the fixture's up to the root, that holds it. */
async function nearest({ files, found, reads }: TestPlace, path: string): Promise<string | undefined> {
  for (const above of foldersFrom(found.folder)) {
    const candidate = posix.join(above, path);
    const kind = (await files.stat(candidate))?.kind;
    if (kind !== "file" && kind !== "folder") continue;
    reads.add(candidate);
    return candidate;
  }
  return undefined;
}

/** Programs are not run: a fixture may come with a plugin that is not trusted. */
async function playbookOf(
  given: NonNullable<FixtureText["execution"]>["playbook"],
  place: TestPlace,
  complain: Complain,
): Promise<Playbook | undefined> {
  const { files, file } = place;
  const at = ["execution", "playbook"];
  try {
    if (given === undefined) return undefined;
    if (typeof given !== "string") return checkPlaybook(file, given);
    const path = await nearest(place, given);
    if (path === undefined) {
      complain(at, `there is no playbook ${given} in the fixture's folder, nor in those above it`);
      return undefined;
    }
    if (!/\.(?:ya?ml|json)$/i.test(path)) {
      complain(at, `expected a playbook in YAML or JSON, ${given} is a program or another file`);
      return undefined;
    }
    return readPlaybook(
      join(files.root, path),
      await files.readText(path, { maxBytes: longestPlaybook }) ?? "",
    );
  } catch (error) {
    complain(at, asPthError(error, "Cannot read playbook").message);
    return undefined;
  }
}
