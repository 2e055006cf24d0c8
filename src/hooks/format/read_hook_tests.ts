/** Finds and reads tests of hooks: every mistake of every file is named at its place, before anything starts. */
import { dirname, join, posix, relative } from "node:path";
import { asPthError, PthError } from "../../core/errors.ts";
import { invalidTestFiles, type Problem } from "../../core/problems.ts";
import { schemaMistakes } from "../../core/schema_mistakes.ts";
import { findRepository } from "../../git/repository.ts";
import { hasGit } from "../../git/git.ts";
import { type ConfinedFolder, openConfined } from "../../platform/confined/open_confined.ts";
import { pathExists, realPath, stat } from "../../platform/files.ts";
import { findPlugin } from "../../plugin/find_plugin.ts";
import { readDocument } from "../../testing/format/read_documents.ts";
import { payloadFor } from "../payloads.ts";
import { hookFile, manifestFile } from "../read_hooks.ts";
import { hookTestSchema, type HookTestText } from "./hook_test_schema.ts";

/** A test that is ready to run. */
export interface HookTest extends Pick<HookTestText, "name" | "event" | "skip" | "hook" | "expect"> {
  file: string;
  line: number;
  column: number;
  /** Folder of its plugin on this machine. */
  plugin: string;
  payload: Record<string, unknown>;
  env: Record<string, string>;
  files: Record<string, string>;
  /** Folder on this machine. */
  project?: string;
}

const testFile = /\.hooks\.ya?ml$/;
const deepest = 8;
const mostFiles = 200;

/**
 * @param place Folder with `*.hooks.yaml` in it or below, or one such file
 * @throws {PthError} `TARGET_NOT_FOUND`, `INVALID_TEST_FILE` with every problem
 */
export async function readHookTests(place: string): Promise<HookTest[]> {
  const real = await realPath(place).catch(() => undefined);
  if (real === undefined) throw notFound(place, "there is nothing");
  const { isFile } = await stat(real);
  if (isFile && !testFile.test(real)) throw notFound(place, "the file is no test of hooks");
  const folder = isFile ? dirname(real) : real;
  const files = openConfined(await rootAround(folder));
  const within = relative(files.root, real).replaceAll("\\", "/");
  const paths = isFile ? [within] : await testFilesIn(files, within, 0);
  if (paths.length === 0) throw notFound(place, "there is no *.hooks.yaml in it");
  if (paths.length > mostFiles) throw notFound(place, `there are more than ${mostFiles} files of tests`);
  const problems: Problem[] = [];
  const tests: HookTest[] = [];
  for (const path of paths) tests.push(...await testsOf(files, path, problems));
  if (problems.length > 0) throw invalidTestFiles(problems, "tests of hooks");
  return tests;
}

/** Folder that holds the plugin and the tests: the repository, else the nearest one above with a plugin in it. */
async function rootAround(folder: string): Promise<string> {
  const repository = await hasGit() ? await findRepository(folder) : { reason: undefined };
  if ("top" in repository && !repository.bare) return await realPath(repository.top);
  for (let at = folder;; at = dirname(at)) {
    const holds = await Promise.all([manifestFile, hookFile].map((file) => pathExists(join(at, file))));
    if (holds.includes(true)) return at;
    if (dirname(at) === at) return folder;
  }
}

const notFound = (place: string, state: string): PthError =>
  new PthError("TARGET_NOT_FOUND", `Cannot read tests of hooks: ${place}: ${state}`, {
    next: ["Tests of hooks stand in files *.hooks.yaml, below the plugin's folder"],
  });

async function testFilesIn(files: ConfinedFolder, folder: string, depth: number): Promise<string[]> {
  const found: string[] = [];
  for (const { name, kind } of await files.list(folder)) {
    const path = posix.join(folder, name);
    if (kind === "folder") {
      if (depth === deepest || name.startsWith(".") || name === "node_modules") continue;
      found.push(...await testFilesIn(files, path, depth + 1));
    } else if (testFile.test(name)) found.push(path);
  }
  return found;
}

async function testsOf(files: ConfinedFolder, path: string, problems: Problem[]): Promise<HookTest[]> {
  const file = join(files.root, path);
  const document = await readDocument(files, path, problems);
  if (document === undefined) return [];
  const mistakes = schemaMistakes(file, document, document.value, hookTestSchema);
  problems.push(...mistakes);
  if (mistakes.length > 0) return [];
  const { plugin: named, tests } = hookTestSchema.parse(document.value);
  const folder = posix.dirname(path);
  const plugin = await findPlugin(files, folder, named) ??
    (named === undefined ? await pluginAround(files, folder) : undefined);
  if (plugin === undefined) {
    const message = named === undefined
      ? "expected plugin: no plugin holds the file"
      : `there is no plugin ${named} in the folders above, nor in their marketplaces`;
    problems.push({ file, ...document.place(named === undefined ? [] : ["plugin"]), message });
    return [];
  }
  const names = new Set<string>();
  const read: HookTest[] = [];
  for (const [index, test] of tests.entries()) {
    const at = (key: string) => ({ file, ...document.place(["tests", index, key]) });
    const { name, event, skip, hook, expect, payload, tool, input, env = {}, files: laid = {}, project } =
      test;
    if (names.has(name)) problems.push({ ...at("name"), message: `another test is called "${name}"` });
    names.add(name);
    const given = {
      ...payload,
      ...(tool === undefined ? {} : { tool_name: tool }),
      ...(input === undefined ? {} : { tool_input: input }),
    };
    const copied = project === undefined ? undefined : posix.normalize(posix.join(folder, project));
    if (copied !== undefined && (copied.startsWith("..") || (await files.stat(copied))?.kind !== "folder")) {
      problems.push({ ...at("project"), message: `there is no folder ${project} within ${files.root}` });
    }
    try {
      read.push({
        name,
        event,
        ...(skip === undefined ? {} : { skip }),
        ...(hook === undefined ? {} : { hook }),
        expect,
        ...at("name"),
        plugin: join(files.root, plugin),
        payload: payloadFor(event, given),
        env,
        files: laid,
        ...(copied === undefined ? {} : { project: join(files.root, copied) }),
      });
    } catch (error) {
      problems.push({ ...at("payload"), message: asPthError(error).message });
    }
  }
  return read;
}

/** The nearest folder above with hooks, where no manifest names a plugin. */
async function pluginAround(files: ConfinedFolder, folder: string): Promise<string | undefined> {
  for (let at = folder;; at = posix.dirname(at)) {
    if ((await files.stat(posix.join(at, hookFile)))?.kind === "file") return at;
    if (at === "." || at === "") return undefined;
  }
}
