/** Files that a report carries, so that its commands need nothing else: the plugin's, and those that a project starts with. */
import { Buffer } from "node:buffer";
import { join, posix } from "node:path";
import { gzipSync } from "node:zlib";
import type { AgentTest, ProjectStart } from "../../../machines/model/agent_fixture.ts";
import { stripEscapes } from "../../core/text.ts";
import { git, gitOutput, nulSeparated } from "../../git/git.ts";
import { findRepository, uncommittedPaths } from "../../git/repository.ts";
import { type ConfinedFolder, openConfined } from "../../platform/confined/open_confined.ts";
import { makeTempDir, readFile, removeIfExists } from "../../platform/files.ts";
import { PthError } from "../../core/errors.ts";
import type { TestReport } from "./report_schema.ts";

/** File below a folder; text, or bytes as base64. */
export type EmbeddedFile = { path: string; executable: boolean } & ({ text: string } | { base64: string });

/** Content of a folder; or where it lies on this machine, and why it could not be read. */
export type EmbeddedFolder = CarriedFolder | { folder: string; reason: string };

/** Content of a folder: in the report, or where parts of it lie on this machine. */
export interface CarriedFolder {
  files: EmbeddedFile[];
  /** Compressed tar archive in base64, whose files come first. */
  archive?: string;
  /** Files and folders that the report cannot carry. */
  copies: { from: string; to: string; isFolder: boolean }[];
  /** Branch that the report cannot carry, whose files come first. */
  branch?: { root: string; commit: string };
}

/** All that a test needs on the host. */
export interface EmbeddedTest {
  plugin: EmbeddedFolder;
  project: EmbeddedFolder;
}

interface CarriedTest extends EmbeddedTest {
  plugin: CarriedFolder;
  project: CarriedFolder;
}

type GitState = TestReport["reproduce"]["git_state"];

/** Bytes of all files of a folder together. */
const mostBytes = 128 * 1024;
const mostFiles = 100;

/** Folders and files that are left out: what is installed or made, and variables, which may be secret. */
const leftOut = /^(\.git|node_modules|\.venv|__pycache__|\.env(\..*)?)$/;

/** @param plugin Folder of the plugin */
export async function embedTest(plugin: string, { start }: Pick<AgentTest, "start">): Promise<CarriedTest> {
  return { plugin: await embedPlugin(plugin), project: await embedStart(start) };
}

/** State of the repository that holds the folder; empty texts where there is none. */
export async function gitStateOf(
  folder: string,
  { branch, commit }: Pick<ProjectStart, "branch" | "commit"> = {},
): Promise<GitState> {
  const repository = await findRepository(folder);
  if ("reason" in repository) return { branch: branch ?? "", commit: commit ?? "", modified_files: [] };
  const own = await git(folder, ["symbolic-ref", "--quiet", "--short", "HEAD"]);
  const at = branch === undefined
    ? undefined
    : await git(folder, ["rev-parse", "--verify", "--quiet", `${branch}^{commit}`]);
  return {
    branch: branch ?? own.stdout.trim(),
    commit: commit ?? (at?.code === 0 ? at.stdout.trim() : repository.head),
    modified_files: (await uncommittedPaths(repository)).slice(0, mostFiles),
  };
}

/** Rest of the bytes and files that may be carried. */
class Budget {
  #bytes = mostBytes;
  #files = mostFiles;

  /** @returns undefined for what is too much, or no file, or reached by a link. */
  async read(folder: ConfinedFolder, path: string): Promise<EmbeddedFile | undefined> {
    try {
      const info = await folder.stat(path);
      if (info?.kind !== "file" || this.#files === 0) return undefined;
      const bytes = await folder.read(path, { maxBytes: this.#bytes });
      if (bytes === undefined) return undefined;
      this.#bytes -= bytes.length;
      this.#files--;
      return { path, executable: (info.mode & 0o111) !== 0, ...contentOf(bytes) };
    } catch (error) {
      // Links, and files that are larger.
      if (error instanceof PthError && error.code === "PATH_REFUSED") return undefined;
      throw error;
    }
  }
}

function contentOf(bytes: Uint8Array): { text: string } | { base64: string } {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    // Pages and terminals show tabs, line ends of Windows and hidden characters as others.
    if (stripEscapes(text) === text && (text === "" || text.endsWith("\n"))) return { text };
  } catch (error) {
    // Bytes that are no UTF-8 are carried as they are.
    if (!(error instanceof TypeError)) throw error;
  }
  return { base64: Buffer.from(bytes).toString("base64") };
}

/** Files that belong to a plugin: of a repository those that are not ignored. */
async function embedPlugin(folder: string): Promise<CarriedFolder> {
  const files = await embedded(openConfined(folder), await pathsOf(folder), new Budget());
  return files === undefined
    ? { files: [], copies: [{ from: folder, to: "", isFolder: true }] }
    : { files, copies: [] };
}

/** @returns undefined where one of them cannot be carried. */
async function embedded(
  folder: ConfinedFolder,
  paths: readonly string[],
  budget: Budget,
): Promise<EmbeddedFile[] | undefined> {
  const files: EmbeddedFile[] = [];
  for (const path of paths) {
    const file = await budget.read(folder, path);
    if (file === undefined) return undefined;
    files.push(file);
  }
  return files;
}

async function pathsOf(folder: string): Promise<string[]> {
  const listed = await git(folder, ["ls-files", "-z", "-co", "--exclude-standard"]);
  if (listed.code !== 0) return await pathsIn(openConfined(folder), "", leftOut);
  const removed = await gitOutput(folder, ["ls-files", "-z", "--deleted"]);
  const gone = new Set(nulSeparated(removed));
  return [...new Set(nulSeparated(listed.stdout))].filter((path) =>
    !gone.has(path) && !path.split("/").some((name) => leftOut.test(name))
  ).sort();
}

/** All that is below a path, at most one more than may be carried. */
async function pathsIn(folder: ConfinedFolder, below: string, without: RegExp): Promise<string[]> {
  const paths: string[] = [];
  for (const { name, kind } of await folder.list(below)) {
    if (without.test(name)) continue;
    if (paths.length > mostFiles) break;
    const path = posix.join(below, name);
    paths.push(...kind === "folder" ? await pathsIn(folder, path, without) : [path]);
  }
  return paths;
}

/** Files that a project starts with: those of a branch, then those that the test lays into it. */
async function embedStart(start: ProjectStart): Promise<CarriedFolder> {
  const root = openConfined(start.root);
  const budget = new Budget();
  const made: CarriedFolder = { files: [], copies: [], ...await embedBranch(start) };
  for (const { from, to } of start.files) {
    const isFolder = (await root.stat(from))?.kind === "folder";
    const paths = isFolder ? await pathsIn(root, from, /^\.git$/) : [from];
    const found = await embedded(root, paths, budget);
    if (found === undefined) made.copies.push({ from: join(start.root, from), to, isFolder });
    else {made.files.push(
        ...found.map((file) => ({ ...file, path: posix.join(to, posix.relative(from, file.path)) })),
      );}
  }
  return made;
}

async function embedBranch(
  { root, branch, commit = `refs/heads/${branch}` }: ProjectStart,
): Promise<Pick<CarriedFolder, "archive" | "branch">> {
  if (branch === undefined) return {};
  const folder = await makeTempDir({ prefix: "pth-branch-" });
  try {
    const file = join(folder, "branch.tar");
    await gitOutput(root, ["archive", "--format=tar", `--output=${file}`, commit]);
    const packed = gzipSync(await readFile(file));
    return packed.length > mostBytes ? { branch: { root, commit } } : { archive: packed.toString("base64") };
  } finally {
    await removeIfExists(folder);
  }
}
