/** Inputs that are known to work: those of the plugin's file, and those that the session learned without writing them. */
import { basename, dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { LearnedInput } from "../../../machines/model/learned.ts";
import { invalidTestFiles, problemLine } from "../../core/problems.ts";
import { count } from "../../core/text.ts";
import { openConfined } from "../../platform/confined/open_confined.ts";
import { mkdir } from "../../platform/files.ts";
import { requireInside } from "../../platform/write_inside.ts";
import { longestFile } from "../../testing/format/load.ts";
import { learnedFile, readLearned, writeLearned } from "../../testing/learn/learned_file.ts";
import type { SessionParts } from "../session/session_parts.ts";
import { shownFolder } from "./discover_tests.ts";

const ownFolder = ({ live: { code: { source } } }: SessionParts): string =>
  join(source!.worktree, source!.subfolder);

/**
 * Reads the plugin's file each time: a person may have edited it. A session goes on without what cannot be read, and tells it.
 * @throws {PthError} `INVALID_TEST_FILE` in a scripted run, whose verdict must not leave inputs out
 */
export async function learnedInputs(context: SessionParts): Promise<LearnedInput[]> {
  const { live } = context;
  const options = { followWithin: true, maxBytes: longestFile };
  const text = await openConfined(ownFolder(context)).readText(learnedFile, options);
  if (text === undefined) return context.tests.learned;
  const { learned, problems } = readLearned(join(shownFolder(context), learnedFile), text);
  if (problems.length > 0 && live.mode === "run") throw invalidTestFiles(problems);
  if (problems.length > 0) {
    const lines = problems.slice(0, 20).map((problem) => `  ${problemLine(problem)}`);
    const told = `${count(problems.length, "mistake")} in ${learnedFile}; its other inputs are used:`;
    live.progress.note([told, ...lines].join("\n"));
  }
  return [...learned, ...context.tests.learned.filter((each) => !isAmong(learned, each))];
}

const isAmong = (all: readonly LearnedInput[], { refusal: _, ...one }: LearnedInput): boolean =>
  all.some(({ refusal: _refusal, ...other }) => isDeepStrictEqual(other, one));

/**
 * Keeps inputs: behind those of a file, which stay as a person left them; without a file for this session alone.
 * @param output a file of this machine; a session has one of its own
 * @returns the file
 * @throws {PthError} `INVALID_TEST_FILE` for a file with mistakes; `INVALID_INPUT` where a link stands in its place
 */
export async function keepLearned(
  context: SessionParts,
  added: readonly LearnedInput[],
  output: string | undefined,
): Promise<string | undefined> {
  const inSession = output === undefined && context.live.mode === "session";
  if (!inSession) context.tests.learned = [...context.tests.learned, ...added];
  if (output === undefined && !inSession) return undefined;
  const [folder, path] = output === undefined
    ? [ownFolder(context), learnedFile]
    : [dirname(output), basename(output)];
  if (output === undefined) await requireInside(folder, path);
  else await mkdir(folder, { recursive: true });
  const place = openConfined(folder);
  const before = await place.readText(path, { maxBytes: longestFile }) ?? "";
  const { learned, problems } = readLearned(join(folder, path), before);
  if (before.trim() !== "" && problems.length > 0) throw invalidTestFiles(problems);
  const fresh = added.filter((each) => !isAmong(learned, each));
  if (fresh.length > 0) await place.write(path, withAdded(before, learned, fresh));
  return join(folder, path);
}

/** Behind the text that is there, unless that is written in a way that takes nothing behind it. */
function withAdded(before: string, known: readonly LearnedInput[], added: readonly LearnedInput[]): string {
  const all = [...known, ...added];
  if (known.length === 0) return writeLearned(all);
  const appended = `${before.trimEnd()}\n\n${writeLearned(added).replace(/^(?:#.*\n)+/, "")}`;
  const { learned, problems } = readLearned(learnedFile, appended);
  return problems.length === 0 && learned.length === all.length ? appended : writeLearned(all);
}
