/** Files that a report carries, so that its commands need nothing else: the plugin's, and those that a project starts with. */
import { Buffer } from "node:buffer";
import { join, posix } from "node:path";
import { gzipSync } from "node:zlib";
import type { AgentTest, ProjectStart } from "../../../machines/model/agent_fixture.ts";
import { stripEscapes } from "../../core/text.ts";
import { git, gitOutput, nulSeparated } from "../../git/git.ts";
import { findRepository, uncommittedPaths } from "../../git/repository.ts";
import { lstat, makeTempDir, readDir, readFile, removeIfExists } from "../../platform/files.ts";
import type { TestReport } from "./report_schema.ts";

/** File below a folder; text, or bytes as base64. */
export type EmbeddedFile = { path: string; executable: boolean } & ({ text: string } | { base64: string });

/** Content of a folder; or where it lies on this machine, and why it is not carried. */
export type EmbeddedFolder =
  | { files: EmbeddedFile[]; archive?: string }
  | { folder: string; reason: string };

/** All that a test needs on the host. */
export interface EmbeddedTest {
  plugin: EmbeddedFolder;
  project: EmbeddedFolder;
}

type GitState = TestReport["reproduce"]["git_state"];

/** Bytes of all files of a folder together. */
const mostBytes = 128 * 1024;
const mostFiles = 100;

/** Folders and files that are left out where no repository says what belongs to a plugin. */
const leftOut = /^(\.git|node_modules|\.venv|__pycache__|\.env.*)$/;

/** @param plugin Folder of the plugin */
export async function embedTest(plugin: string, { start }: Pick<AgentTest, "start">): Promise<EmbeddedTest> {
  const budget = new Budget();
  return { plugin: await embedFolder(plugin), project: await embedStart(start, budget) };
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

  /** Undefined: it is too much, or no file. */
  async read(file: string, path: string): Promise<EmbeddedFile | undefined> {
    const { isFile, size, mode } = await lstat(file);
    if (!isFile || size > this.#bytes || this.#files === 0) return undefined;
    this.#bytes -= size;
    this.#files--;
    return { path, executable: ((mode ?? 0) & 0o111) !== 0, ...contentOf(await readFile(file)) };
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

/** Files that belong to a folder: of a repository those that are not ignored. */
async function embedFolder(folder: string, budget = new Budget()): Promise<EmbeddedFolder> {
  const paths = await pathsOf(folder);
  if (paths === undefined) return { folder, reason: `it has more than ${mostFiles} files` };
  const files: EmbeddedFile[] = [];
  for (const path of paths) {
    const file = await budget.read(join(folder, path), path);
    if (file === undefined) return { folder, reason: `it has a link, or more than ${mostBytes / 1024} KiB` };
    files.push(file);
  }
  return { files };
}

async function pathsOf(folder: string): Promise<string[] | undefined> {
  const listed = await git(folder, ["ls-files", "-z", "-co", "--exclude-standard"]);
  if (listed.code !== 0) return await walk(folder);
  const paths = [...new Set(nulSeparated(listed.stdout))];
  const there = await Promise.all(
    paths.slice(0, mostFiles + 1).map(async (path) => await exists(join(folder, path)) ? [path] : []),
  );
  return paths.length > mostFiles ? undefined : there.flat().sort();
}

const exists = (path: string): Promise<boolean> => lstat(path).then(() => true, () => false);

async function walk(folder: string, below = ""): Promise<string[] | undefined> {
  const paths: string[] = [];
  for await (const { name, isDirectory } of readDir(join(folder, below))) {
    if (leftOut.test(name)) continue;
    const path = posix.join(below, name);
    const more = isDirectory ? await walk(folder, path) : [path];
    if (more === undefined || paths.length + more.length > mostFiles) return undefined;
    paths.push(...more);
  }
  return paths.sort();
}

/** Files that a project starts with: those of a branch as an archive, then those that the test lays into it. */
async function embedStart(start: ProjectStart, budget: Budget): Promise<EmbeddedFolder> {
  const files: EmbeddedFile[] = [];
  for (const { from, to } of start.files) {
    const source = join(start.root, from);
    const { isDirectory } = await lstat(source);
    const embedded = isDirectory ? await embedFolder(source, budget) : await embedFile(source, budget);
    if ("reason" in embedded) return embedded;
    files.push(
      ...embedded.files.map((file) => ({ ...file, path: isDirectory ? posix.join(to, file.path) : to })),
    );
  }
  if (start.branch === undefined) return { files };
  const archive = await branchArchive(start);
  return archive === undefined
    ? { folder: start.root, reason: `the branch ${start.branch} has more than ${mostBytes / 1024} KiB` }
    : { files, archive };
}

async function embedFile(file: string, budget: Budget): Promise<EmbeddedFolder> {
  const embedded = await budget.read(file, "");
  return embedded === undefined
    ? { folder: file, reason: `it has a link, or more than ${mostBytes / 1024} KiB` }
    : { files: [embedded] };
}

/** Files of the branch as a compressed tar archive in base64. */
async function branchArchive({ root, branch, commit }: ProjectStart): Promise<string | undefined> {
  const folder = await makeTempDir({ prefix: "pth-branch-" });
  try {
    const file = join(folder, "branch.tar");
    await gitOutput(root, ["archive", "--format=tar", `--output=${file}`, commit ?? `refs/heads/${branch}`]);
    const packed = gzipSync(await readFile(file));
    return packed.length > mostBytes ? undefined : packed.toString("base64");
  } finally {
    await removeIfExists(folder);
  }
}
