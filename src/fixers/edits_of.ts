/** Turns changes that a fixer made in place into edits, which can be checked and applied again. */
import { Buffer } from "node:buffer";
import { join } from "node:path";
import { type ConfinedFolder, openConfined } from "../platform/confined/open_confined.ts";
import type { Edit } from "../../machines/model/fix.ts";
import { PthError } from "../core/errors.ts";
import { absentFile, type FileState, readFileState, writeState } from "../git/file_state.ts";
import { isBinary } from "../fixes/replace_once.ts";
import { inPlugin, type SessionBranch } from "../git/session_branch.ts";
import { makeTempDir, mkdir, removeIfExists, writeTextFile } from "../platform/files.ts";
import { git } from "../git/git.ts";

/** Written by PTH itself on the session branch. */
const ownFiles = new Set([".pth/session-state.json", ".pth/SESSION-REPORT.md"]);

/** @throws {PthError} `FIXER_FAILED` for a change that no fix can hold */
export async function editsOf(branch: SessionBranch, changes: readonly FixerChange[]): Promise<Edit[]> {
  const inside = changes.map((change) => ({ ...change, path: inPlugin(branch, change.path) }))
    .filter(({ path }) => !ownFiles.has(path));
  const problems = inside.flatMap((change) => problemOf(change, inside) ?? []);
  if (problems.length > 0) throw unfit(problems);
  const files = inside.filter(({ before, after }) => before.kind !== "absent" || after.kind === "file");
  const gone = files.filter(({ after }) => after.kind !== "file");
  const whole = files.filter(({ after }) => after.kind === "file");
  const texts = whole.filter(isPlainText);
  const others = whole.filter((change) => !isPlainText(change));
  return [
    ...gone.map(({ path }) => ({ path, delete: true as const })),
    ...texts.map(({ path, after }) => ({ path, content: textOf(after) })),
    ...(others.length === 0 ? [] : [{ patch: await patchOf(others) }]),
  ];
}

function problemOf({ path, before, after }: FixerChange, all: readonly FixerChange[]): string | undefined {
  if (path === ".." || path.startsWith("../")) return `${path} lies outside the plugin's folder`;
  if (before.kind === "absent" && after.kind === "folder") return `${path} is a git repository of its own`;
  if (after.kind === "link") return `${path} is made a symbolic link`;
  if (before.kind === "link" && after.kind === "file") {
    return `${path} was a symbolic link and is made a file`;
  }
  if (after.kind === "other") return `${path} is made something that is no file`;
  const replaced = after.kind === "folder" && !all.some((other) => other.path.startsWith(`${path}/`));
  return replaced ? `${path} is made a folder with nothing in it that git keeps` : undefined;
}

const unfit = (problems: string[]): PthError =>
  new PthError(
    "FIXER_FAILED",
    `Cannot apply the fixer's change: ${problems[0]}; the proposal was discarded`,
    {
      output: problems.join("\n"),
      problems,
    },
  );

/** Text that an edit with `content` gives exactly; a file that is new gets plain permissions with it. */
function isPlainText({ before, after }: FixerChange): boolean {
  if (isExecutable(after) !== isExecutable(before)) return false;
  return after.kind === "file" && !isBinary(after.bytes) &&
    Buffer.compare(Buffer.from(textOf(after)), after.bytes) === 0;
}

const textOf = (state: FileState): string =>
  state.kind === "file" ? Buffer.from(state.bytes).toString("utf8") : "";

/** Makes a git patch of changes that text cannot express: binary content and permissions. */
async function patchOf(changes: readonly FixerChange[]): Promise<string> {
  const folder = await makeTempDir({ prefix: "pth-fixer-" });
  try {
    for (const [name, which] of [["a", "before"], ["b", "after"]] as const) {
      await mkdir(join(folder, name));
      const side = openConfined(join(folder, name));
      for (const change of changes) await writeState(side, change.path, change[which]);
    }
    await writeTextFile(join(folder, "attributes"), "* -diff\n");
    const settings = ["-c", `core.attributesFile=${join(folder, "attributes")}`];
    const options = [
      "--binary",
      "--full-index",
      "--no-prefix",
      "--no-ext-diff",
      "--no-textconv",
      "--no-color",
    ];
    const { stdout } = await git(folder, [
      ...settings,
      "diff",
      "--no-index",
      "--no-renames",
      ...options,
      "a",
      "b",
    ]);
    return stdout;
  } finally {
    await removeIfExists(folder);
  }
}

export interface FixerChange {
  /** The path as git names it. */
  path: string;
  before: FileState;
  after: FileState;
}

/**
 * Reads the state of a path that git names. Over a link there is nothing: the link itself is a change of its own.
 * @throws {PthError} `FIXER_FAILED` for a file that is too large for a fix
 */
export async function fixerFileState(files: ConfinedFolder, path: string): Promise<FileState> {
  try {
    return await readFileState(files, path.replace(/\/$/, ""));
  } catch (error) {
    if (!(error instanceof PthError) || error.code !== "PATH_REFUSED") throw error;
    if (error.context["largest"] === undefined) return absentFile;
    throw new PthError("FIXER_FAILED", `Cannot apply the fixer's change: ${error.context["reason"]}`, {
      next: ["Let the fixer write build output to paths that .gitignore lists"],
    });
  }
}

/** Tells whether a file can be executed: the one permission that git keeps. */
export function isChanged({ before, after }: FixerChange): boolean {
  if (before.kind === "file" && after.kind === "file") {
    return isExecutable(before) !== isExecutable(after) || !sameBytes(before.bytes, after.bytes);
  }
  return before.kind !== after.kind ||
    (before.kind === "link" && after.kind === "link" && before.target !== after.target);
}

const isExecutable = (state: FileState): boolean => state.kind === "file" && (state.mode & 0o111) !== 0;

const sameBytes = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, index) => byte === b[index]);
