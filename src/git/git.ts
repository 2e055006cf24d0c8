/**
 * Git on the host, the same whatever the user configured: no hooks, no signing, no prompt, no file-system monitor.
 *
 * Hooks and signing of the user must not reject or slow what PTH does (design §3.2); variables such as `GIT_DIR`, set when
 * PTH itself runs from a hook, must not lead to another repository.
 */
import { PthError } from "../core/errors.ts";
import { allEnv } from "../platform/host.ts";
import { log } from "../platform/log.ts";
import { runCommand, type RunResult } from "../platform/process.ts";

export interface GitOptions {
  signal?: AbortSignal;
  stdin?: string;
  /** Marks the process, so that `pth clean` finds a git that outlives a killed session. */
  sessionId?: string;
  /** Explicit repository and work tree. Without them git believes a `.git` that the environment may have written. */
  gitDir?: string;
  workTree?: string;
  /** An index of its own, so that the real one is not touched. */
  indexFile?: string;
  /** New objects go into `folder`, and those of `others` are found, so that a repository can be worked with and not written. */
  objects?: { folder: string; others: string };
  /** Limit on stored output in bytes (its end). Without it, more than 256 MiB is an error where output is needed whole. */
  maxBytes?: number;
}

/** Bytes: the names of two million files. */
const largestOutput = 256 * 1024 * 1024;

const settings = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.quotePath=false",
  "commit.gpgsign=false",
  "tag.gpgsign=false",
  "gc.auto=0",
  "maintenance.auto=false",
  "advice.detachedHead=false",
  "submodule.recurse=false",
  // Looking into a submodule believes the configuration that lies in it, and runs the filters named there.
  "diff.ignoreSubmodules=all",
].flatMap((setting) => ["-c", setting]);

/** Runs git in a folder; a non-zero exit is a result. @throws {PthError} `GIT_FAILED` when there is no git */
export async function git(folder: string, args: string[], options: GitOptions = {}): Promise<RunResult> {
  const { gitDir, workTree, sessionId, indexFile, objects, ...runOptions } = options;
  const where = [
    ...(gitDir === undefined ? [] : [`--git-dir=${gitDir}`]),
    ...(workTree === undefined ? [] : [`--work-tree=${workTree}`]),
  ];
  const command = ["git", "-C", folder, ...where, ...settings, ...args];
  try {
    const result = await runCommand(command, {
      clearEnv: true,
      env: gitEnvironment({ sessionId, indexFile, objects }),
      maxBytes: largestOutput,
      ...runOptions,
    });
    log.debug("git", { args, folder, code: result.code, ms: Math.round(result.durationMs) });
    return result;
  } catch (cause) {
    if (!(cause instanceof PthError) || cause.code === "INTERRUPTED") throw cause;
    throw new PthError("GIT_FAILED", `Cannot run git: ${cause.message}`, {
      next: ["Install git (for example: apt-get install git)"],
    }, { cause });
  }
}

/** Standard output of a git command that has to succeed. @throws {PthError} `GIT_FAILED` */
export async function gitOutput(folder: string, args: string[], options: GitOptions = {}): Promise<string> {
  const result = await git(folder, args, options);
  if (result.code === 0) return whole(args, result, options);
  throw new PthError("GIT_FAILED", `Cannot run git ${args[0]} in ${folder}: exited with ${result.code}`, {
    output: result.stderr || result.stdout,
    tried: [`git ${args.join(" ")}`],
    next: ["Do what git asks for, and try again"],
  });
}

/** A list without its beginning would be believed to be all of it. @throws {PthError} `GIT_FAILED` */
export function whole(
  args: string[],
  { stdout, truncated }: Pick<RunResult, "stdout" | "truncated">,
  { maxBytes }: Pick<GitOptions, "maxBytes">,
): string {
  if (!truncated || maxBytes !== undefined) return stdout;
  throw new PthError("GIT_FAILED", `Cannot read the output of git ${args[0]}: it is longer than 256 MiB`);
}

/** Entries of a `-z` list. */
export const nulSeparated = (text: string): string[] => text.split("\0").filter((entry) => entry !== "");

/** Whether this machine has git at all. */
export async function hasGit(): Promise<boolean> {
  try {
    return (await runCommand(["git", "--version"])).code === 0;
  } catch (error) {
    if (error instanceof PthError) return false;
    throw error;
  }
}

/** Variables of `git rev-parse --local-env-vars` except configuration, and those that change the meaning of paths. */
export const foreignVariable = new RegExp(`^GIT_(${
  [
    "DIR|WORK_TREE|IMPLICIT_WORK_TREE|COMMON_DIR|INDEX_FILE|INDEX_VERSION|NAMESPACE|PREFIX|INTERNAL_SUPER_PREFIX",
    "OBJECT_DIRECTORY|ALTERNATE_.*|QUARANTINE_PATH|GRAFT_FILE|SHALLOW_FILE|NO_REPLACE_OBJECTS|REPLACE_REF_BASE",
    "LITERAL_PATHSPECS|GLOB_PATHSPECS|NOGLOB_PATHSPECS|ICASE_PATHSPECS|EXTERNAL_DIFF|DIFF_OPTS",
  ].join("|")
})$`);

/** Variable that names the session of a helper process. */
export const helperMark = "PTH_HELPER_OF";

type Own = { [Key in "sessionId" | "indexFile" | "objects"]: GitOptions[Key] | undefined };

function gitEnvironment({ sessionId, indexFile, objects }: Own): Record<string, string> {
  const inherited = Object.entries(allEnv()).filter(([name]) => !foreignVariable.test(name));
  return {
    ...Object.fromEntries(inherited),
    GIT_TERMINAL_PROMPT: "0",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_EDITOR: "true",
    LC_ALL: "C",
    ...(sessionId === undefined ? {} : { [helperMark]: sessionId }),
    ...(indexFile === undefined ? {} : { GIT_INDEX_FILE: indexFile }),
    ...(objects === undefined ? {} : {
      GIT_OBJECT_DIRECTORY: objects.folder,
      // Quoted, because a colon would end the path.
      GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(objects.others),
    }),
  };
}
