/** Unified diffs, applied by git to copies of the files they name: exactly, or not at all. */
import { Buffer } from "node:buffer";
import { type ConfinedFolder, openConfined } from "../platform/confined/open_confined.ts";
import { makeTempDir, removeIfExists } from "../platform/files.ts";
import { type EditedFiles, RefusedEdit } from "./edited_files.ts";
import { type FileState, readFileState, sameState, writeState } from "../git/file_state.ts";
import { lineEnds } from "./replace_once.ts";
import { branchGit, type SessionBranch } from "../git/session_branch.ts";

/** @throws {Refusal} with git's words */
export async function applyPatch(branch: SessionBranch, files: EditedFiles, given: string): Promise<void> {
  const { paths, strip } = namesIn(given);
  const states = new Map<string, FileState>();
  for (const name of paths) {
    const { path, state } = await files.at(name);
    if (state.kind !== "file" && state.kind !== "absent") {
      throw new RefusedEdit(`${path} is no ordinary file`);
    }
    states.set(path, state);
  }
  const isBytes = /^GIT binary patch$/m.test(given);
  const windows = new Set(
    [...states].filter(([, state]) => !isBytes && hasWindowsEnds(state)).map(([path]) => path),
  );
  const patch = windows.size > 0 || lineEnds(given) === "crlf" ? given.replaceAll("\r\n", "\n") : given;
  const folder = await makeTempDir({ prefix: "pth-patch-" });
  const copies = openConfined(folder);
  try {
    for (const [path, state] of states) {
      await writeState(copies, path, windows.has(path) ? withoutCr(state) : state);
    }
    await run(branch, folder, recountPatch(patch), strip);
    for (const path of await filesIn(copies)) {
      if (!states.has(path)) throw new RefusedEdit(`it names ${path} in a way that is not understood`);
    }
    for (const [path, before] of states) {
      const after = await readFileState(copies, path);
      if (after.kind !== "file" && after.kind !== "absent") {
        throw new RefusedEdit(`it makes a link of ${path}`);
      }
      const kept = windows.has(path) ? withCr(after) : after;
      if (!sameState(before, kept)) files.set(path, kept);
    }
  } finally {
    await removeIfExists(folder);
  }
}

async function run(branch: SessionBranch, folder: string, patch: string, strip: number): Promise<void> {
  const apply = (...more: string[]) =>
    branchGit(branch, ["apply", "--whitespace=nowarn", `-p${strip}`, ...more, "-"], {
      workTree: folder,
      stdin: patch,
    });
  let { code, stderr } = await apply();
  // A hunk that ends without a line of context may stand anywhere, as long as it names lines that are there.
  if (code !== 0 && isAnchored(patch)) ({ code } = await apply("--unidiff-zero"));
  if (code === 0) return;
  throw new RefusedEdit(`git cannot apply it: ${stderr.trim().slice(0, 4000)}`);
}

/** Paths of all files and links below a folder. */
async function filesIn(folder: ConfinedFolder, within = ""): Promise<string[]> {
  const paths: string[] = [];
  for (const { name, kind } of await folder.list(within)) {
    const path = within === "" ? name : `${within}/${name}`;
    paths.push(...(kind === "folder" ? await filesIn(folder, path) : [path]));
  }
  return paths;
}

/** Whether each hunk names a line that is in the file now (a new file has none): else only a number says where it belongs. */
const isAnchored = (patch: string): boolean =>
  patch.split(/^(?=@@ )/m).slice(1).every((hunk) => /^@@ -0,0 /.test(hunk) || /^[- ]./m.test(hunk));

/** Every file that the patch names, and how many leading folders ("a/", "b/") its names carry. */
function namesIn(patch: string): { paths: string[]; strip: 0 | 1 } {
  const lines = patch.split(/\r?\n/);
  const marked = lines.flatMap((line, index) => {
    const isOld = line.startsWith("--- ") && lines[index + 1]?.startsWith("+++ ");
    const isNew = line.startsWith("+++ ") && lines[index - 1]?.startsWith("--- ");
    return isOld || isNew ? [line.slice(4).split("\t")[0]!.trim()] : [];
  });
  const headers = lines.flatMap((line) => /^diff --git (\S+) (\S+)$/.exec(line)?.slice(1) ?? []);
  const names = [...marked, ...headers].filter((name) => name !== "/dev/null");
  const moved = lines.flatMap((line) => /^(?:rename|copy) (?:from|to) (.+)$/.exec(line)?.slice(1) ?? []);
  if (names.length + moved.length === 0) {
    throw new RefusedEdit('it is no unified diff (no lines "--- a/file" and "+++ b/file")');
  }
  if ([...names, ...moved].some((name) => name.startsWith('"'))) {
    throw new RefusedEdit("it names files in quotes; edit those with find and replace");
  }
  const strip = names.every((name) => /^[ab]\//.test(name)) ? 1 : 0;
  return { paths: [...new Set([...names.map((name) => strip ? name.slice(2) : name), ...moved])], strip };
}

const hasWindowsEnds = (state: FileState): boolean =>
  state.kind === "file" && lineEnds(Buffer.from(state.bytes).toString("latin1")) === "crlf";

const rewritten = (state: FileState, change: (text: string) => string): FileState =>
  state.kind === "file"
    ? {
      ...state,
      bytes: new Uint8Array(Buffer.from(change(Buffer.from(state.bytes).toString("latin1")), "latin1")),
    }
    : state;

const withoutCr = (state: FileState) => rewritten(state, (text) => text.replaceAll("\r\n", "\n"));
const withCr = (state: FileState) => rewritten(state, (text) => text.replaceAll("\n", "\r\n"));

/** Hunk headers that fit their hunks: people and models miscount lines, and what counts is that the lines fit. */

/** The patch with the right numbers of lines in its `@@` headers, ending in a line end. */
function recountPatch(patch: string): string {
  const lines = patch.replace(/\n?$/, "\n").split("\n").slice(0, -1);
  const output: string[] = [];
  for (let at = 0; at < lines.length;) {
    const header = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@(.*)$/.exec(lines[at]!);
    if (!header) {
      output.push(lines[at++]!);
      continue;
    }
    const body = bodyFrom(lines, at + 1);
    const old = body.filter((line) => /^[- ]/.test(line)).length;
    const now = body.filter((line) => /^[+ ]/.test(line)).length;
    output.push(`@@ -${header[1]},${old} +${header[2]},${now} @@${header[3]}`, ...body);
    at += 1 + body.length;
  }
  return output.join("\n") + "\n";
}

/** Lines of one hunk; an empty one stands for an empty line of context, unless nothing of the hunk follows. */
function bodyFrom(lines: readonly string[], start: number): string[] {
  let end = start;
  while (end < lines.length && !endsHunk(lines, end)) end++;
  while (end > start && lines[end - 1] === "") end--;
  return lines.slice(start, end).map((line) => line === "" ? " " : line);
}

function endsHunk(lines: readonly string[], at: number): boolean {
  const line = lines[at]!;
  if (line === "" || /^[+\\ ]/.test(line)) return false;
  if (!line.startsWith("-")) return true;
  // The signature that mail programs add, and the header of the next file.
  return (line === "-- " && at >= lines.length - 3) ||
    (line.startsWith("--- ") && lines[at + 1]?.startsWith("+++ ") === true);
}
