/** Computes the files that a fix's edits result in. Nothing is written here. */
import { posix } from "node:path";
import type { Edit } from "../../machines/model/fix.ts";
import { PthError } from "../core/errors.ts";
import type { ConfinedFolder } from "../platform/confined/open_confined.ts";
import { didYouMean } from "../core/did_you_mean.ts";
import { EditedFiles, type FileEdit, RefusedEdit } from "./edited_files.ts";
import { absentFile, type FileState, plainMode } from "../git/file_state.ts";
import { contentFor, replaceOnce } from "./replace_once.ts";

/** Applies a patch to the files; how is the caller's. */
type PatchApplier = (files: EditedFiles, patch: string) => Promise<void>;

/**
 * The changes that all edits make together; each edit sees what those before it did.
 * @throws {PthError} `EDIT_FAILED` naming every edit that does not apply, and why
 */
export async function planEdits(
  folder: ConfinedFolder,
  edits: readonly Edit[],
  applyPatch: PatchApplier,
): Promise<FileEdit[]> {
  const files = new EditedFiles(folder);
  const problems: string[] = [];
  for (const [index, edit] of edits.entries()) {
    try {
      await apply(files, edit, applyPatch);
    } catch (error) {
      problems.push(`edit ${index + 1} (${nameOf(edit)}): ${reasonOf(error)}`);
    }
  }
  if (problems.length > 0) throw editsFailed(problems, edits.length);
  const changes = files.changes();
  if (changes.length === 0) throw editsFailed(["the files are already as the edits make them"], edits.length);
  return changes;
}

async function apply(files: EditedFiles, edit: Edit, applyPatch: PatchApplier): Promise<void> {
  if ("patch" in edit) return await applyPatch(files, edit.patch);
  if ("from" in edit) return await move(files, edit);
  const { path, state } = await files.at(edit.path);
  if ("delete" in edit) {
    await mustExist(files, path, state);
    files.set(path, absentFile);
  } else if ("content" in edit) {
    const old = state.kind === "absent" ? undefined : fileOf(state);
    const bytes = contentFor(old?.bytes, edit.content);
    files.set(path, { kind: "file", bytes, mode: old?.mode ?? plainMode });
  } else {
    await mustExist(files, path, state);
    const { bytes, mode } = fileOf(state);
    files.set(path, { kind: "file", bytes: replaceOnce(bytes, edit.find, edit.replace), mode });
  }
}

async function move(files: EditedFiles, { from, to }: { from: string; to: string }): Promise<void> {
  const source = await files.at(from);
  await mustExist(files, source.path, source.state);
  const target = await files.at(to);
  if (target.state.kind !== "absent") throw new RefusedEdit(`${target.path} is there already`);
  files.set(source.path, absentFile);
  files.set(target.path, source.state);
}

/** @throws {Refusal} for a link, a folder, a device */
function fileOf(state: FileState): Extract<FileState, { kind: "file" }> {
  if (state.kind === "file") return state;
  if (state.kind === "link") {
    throw new RefusedEdit(`it is a symbolic link to ${state.target}; edit that file, or delete the link`);
  }
  throw new RefusedEdit(
    state.kind === "folder" ? "it is a folder; name its files" : "it is no ordinary file",
  );
}

async function mustExist(files: EditedFiles, path: string, state: FileState): Promise<void> {
  if (state.kind === "folder" || state.kind === "other") fileOf(state);
  if (state.kind !== "absent") return;
  const near = await nearName(files.folder, path);
  throw new RefusedEdit(`there is no such file${near === undefined ? "" : `; did you mean ${near}?`}`);
}

async function nearName(folder: ConfinedFolder, path: string): Promise<string | undefined> {
  const parent = posix.dirname(path);
  const names = (await folder.list(parent)).filter(({ kind }) => kind === "file").map(({ name }) => name);
  const near = didYouMean(path.slice(path.lastIndexOf("/") + 1), names);
  return near === undefined ? undefined : posix.join(parent, near);
}

const nameOf = (edit: Edit): string => {
  if ("patch" in edit) return "patch";
  return "from" in edit ? `${edit.from} → ${edit.to}` : edit.path;
};

/** A file that cannot be read is as good a reason as one that does not fit. */
function reasonOf(error: unknown): string {
  if (error instanceof RefusedEdit) return error.message;
  if (error instanceof PthError && error.code === "PATH_REFUSED") return String(error.context["reason"]);
  const { code, message } = error as { code?: string; message?: string };
  if (code?.startsWith("E") && !(error instanceof PthError)) return `it cannot be read (${message})`;
  throw error;
}

/** The error of edits that were refused; nothing has been written then. */
export function editsFailed(problems: string[], edits: number): PthError {
  const [first = "", ...more] = problems;
  const what = more.length === 0
    ? first.split("\n")[0]!
    : `${problems.length} of ${edits} edits do not apply`;
  return new PthError("EDIT_FAILED", `Cannot apply fix: ${what}; nothing was changed`, {
    output: problems.join("\n"),
    problems,
    next: ["Read the files as they are now in the worktree, and send all edits again"],
  });
}
