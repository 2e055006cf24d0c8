/** Finds a plugin's evals, and reads all of them: each folder below `evals/` with a `case.yaml` or `prompt.md` is a case. */
import { posix } from "node:path";
import { asPthError, PthError } from "../../core/errors.ts";
import { invalidTestFiles, type Problem } from "../../core/problems.ts";
import { isObject, jsonIn } from "../../core/values.ts";
import { type ConfinedFolder, openConfined } from "../../platform/confined/open_confined.ts";
import type { EvalCase, EvalSuite } from "../../../machines/model/eval_case.ts";
import { type CaseFiles, readCase } from "./read_case.ts";

/** Limits of Claude Code's own, but for the number of cases. */
const largestFile = 1024 * 1024;
const mostGraders = 256;
const deepest = 8;
const mostCases = 500;

/** Folders in which Claude Code looks for no cases. */
const passedOver = new Set(["node_modules", ".claude", "results", "mocks"]);

/**
 * Reads the evals of the plugin in a folder of this machine; what lies there is not trusted.
 * @throws {PthError} `TARGET_NOT_FOUND` where there are none, `INVALID_TEST_FILE` with every problem of them
 */
export async function readEvals(plugin: string): Promise<EvalSuite> {
  const place = openConfined(plugin);
  const folder = await evalFolder(place);
  const problems: Problem[] = [];
  const found: CaseFiles[] = [];
  await collect(place, folder, 0, found, problems);
  const cases = found.flatMap((files) => readCase(files, problems) ?? []);
  problems.push(...repeated(cases));
  if (problems.length > 0) throw invalidTestFiles(problems, "evals");
  if (cases.length === 0) {
    throw new PthError("TARGET_NOT_FOUND", `Cannot read evals: ${posix.join(plugin, folder)} holds none`, {
      next: ["A case is a folder there with prompt.md and graders/<name>.md, or with case.yaml"],
    });
  }
  const mocked = (await place.list(`${folder}/mocks`)).filter(({ kind }) => kind === "folder");
  return { folder, cases, mocked: mocked.map(({ name }) => name) };
}

const repeated = (cases: readonly EvalCase[]): Problem[] =>
  cases.filter(({ name }, index) => cases.findIndex((other) => other.name === name) < index).map(
    ({ name, folder }) => ({ file: folder, line: 1, column: 1, message: `another case is called "${name}"` }),
  );

/**
 * Folder of the evals, below the plugin's: the manifest may name another one than `evals`.
 * @throws {PthError} `INVALID_CONFIG` for one that is not below it
 */
export async function evalFolder(place: ConfinedFolder): Promise<string> {
  const manifest = jsonIn(
    await place.readText(".claude-plugin/plugin.json", { maxBytes: largestFile }) ?? "",
  );
  const named = isObject(manifest) && isObject(manifest.experimental)
    ? manifest.experimental.evals
    : undefined;
  if (typeof named !== "string") return "evals";
  const path = posix.normalize(named.trim()).replace(/\/$/, "");
  if (path !== "." && path !== ".." && !path.startsWith("../") && !path.startsWith("/")) return path;
  throw new PthError("INVALID_CONFIG", `Cannot read evals: plugin.json names the folder ${named}`, {
    next: ["experimental.evals is a folder below the plugin"],
  });
}

async function collect(
  place: ConfinedFolder,
  folder: string,
  depth: number,
  found: CaseFiles[],
  problems: Problem[],
): Promise<void> {
  const at = (message: string) => problems.push({ file: folder, line: 1, column: 1, message });
  if (depth > deepest) return void at(`expected cases at most ${deepest} folders below`);
  const entries = await place.list(folder);
  if (entries.some(({ name }) => depth > 0 && (name === "case.yaml" || name === "prompt.md"))) {
    if (found.length === mostCases) {
      throw new PthError("INVALID_INPUT", `Cannot read evals: more than ${mostCases} cases`);
    }
    const graders = await place.list(`${folder}/graders`);
    const files = graders.filter(({ name, kind }) => name.endsWith(".md") && kind !== "folder");
    if (files.length > mostGraders) return void at(`expected at most ${mostGraders} graders`);
    const texts: Record<string, string> = {};
    for (const { name } of files) {
      const path = `${folder}/graders/${name}`;
      texts[path] = await textOf(place, path, problems) ?? "";
    }
    const caseYaml = await textOf(place, `${folder}/case.yaml`, problems);
    const prompt = await textOf(place, `${folder}/prompt.md`, problems);
    found.push({
      folder,
      graders: texts,
      ...(caseYaml === undefined ? {} : { caseYaml }),
      ...(prompt === undefined ? {} : { prompt }),
    });
    return;
  }
  for (const { name, kind } of entries) {
    if (kind === "folder" && !name.startsWith(".") && !passedOver.has(name)) {
      await collect(place, `${folder}/${name}`, depth + 1, found, problems);
    }
  }
}

/** A file that cannot be read (a link, a device, too large) is a problem like others. */
async function textOf(place: ConfinedFolder, file: string, problems: Problem[]): Promise<string | undefined> {
  try {
    return await place.readText(file, { maxBytes: largestFile });
  } catch (error) {
    problems.push({ file, line: 1, column: 1, message: asPthError(error, "Cannot read").message });
    return undefined;
  }
}
