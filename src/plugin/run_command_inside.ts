/**
 * Files of one folder inside an environment, by name: checked there, where the plugin can change them at every moment, and
 * bounded here. No link is followed that leads out of the folder, and no path that comes back is opened on the host.
 */
import { Buffer } from "node:buffer";
import { posix } from "node:path";
import { PthError } from "../core/errors.ts";
import type { ExecOptions } from "../runtimes/runtime.ts";
import { chosenSources, type PluginSources } from "./plugin_sources.ts";
import type { ExecResult } from "../../machines/model/environment_operations.ts";

/** Runs a command inside. */
export type RunCommandInside = (
  command: string[],
  options: Pick<ExecOptions, "cwd" | "stdin" | "signal" | "maxBytes">,
) => Promise<Pick<ExecResult, "code" | "stdout" | "stderr">>;

interface InsideLimits {
  /** Limit of one file, in bytes; a larger one counts as none. */
  each?: number;
  /** Limit of all together, in bytes; what comes after that counts as none. */
  total?: number;
  timeoutMs?: number;
}

const mebibyte = 1024 * 1024;

/** Folders are entered as the kernel sees them (-P), so that a link in the way shows by where it led to. */
const enter = `cd -P -- "$1" 2>/dev/null || exit 44
top=$PWD`;

const readScript = `${enter}
while IFS= read -r path; do
  case $path in */*) folder=\${path%/*} ;; *) folder=. ;; esac
  cd -P -- "$top/$folder" 2>/dev/null || continue
  case $PWD/ in "$top"/*) ;; *) continue ;; esac
  name=./\${path##*/}
  if [ -h "$name" ]; then
    name=$(readlink -f -- "$name") || continue
    case $name in "$top"/*) ;; *) continue ;; esac
  fi
  [ -f "$name" ] || continue
  printf '\\n%s %s\\n' "$2" "$path"
  head -c "$3" "$name"
done | head -c "$4"`;

/**
 * Texts by path; what is no regular file, too large or not there is absent.
 * @param paths relative to the folder
 * @throws {PthError} `EXEC_FAILED` where it took too long, and what `run` throws
 */
export async function textsInside(
  run: RunCommandInside,
  folder: string,
  paths: readonly string[],
  { each = mebibyte, total = 64 * mebibyte, timeoutMs = 30_000 }: InsideLimits = {},
): Promise<Map<string, string>> {
  const wanted = [...new Set(paths)].filter(isPlain);
  if (wanted.length === 0) return new Map();
  const mark = crypto.randomUUID();
  const command = ["sh", "-c", readScript, "sh", folder, mark, String(each + 1), String(total)];
  const { stdout } = await timed(run, command, `${wanted.join("\n")}\n`, total + mebibyte, timeoutMs);
  const asked = new Set(wanted);
  const texts = new Map<string, string>();
  for (const entry of stdout.split(`\n${mark} `).slice(1)) {
    const end = entry.indexOf("\n");
    const path = entry.slice(0, end);
    const text = entry.slice(end + 1);
    if (end !== -1 && asked.has(path) && Buffer.byteLength(text) <= each) texts.set(path, text);
  }
  // The last one may be cut.
  if (Buffer.byteLength(stdout) >= total) texts.delete([...texts.keys()].at(-1) ?? "");
  return texts;
}

const mostNames = 20_000;

const listScript = `${enter}
find . -type d \\( -name node_modules -o -name .git -o -name .venv -o -name __pycache__ \\) -prune -o \\
  -type f -print 2>/dev/null | head -n ${mostNames}`;

/**
 * Paths of regular files in the folder and below, sorted, at most ${mostNames}; what installing brings is left out, as is what
 * lies behind links.
 */
export async function pathsInside(
  run: RunCommandInside,
  folder: string,
  { timeoutMs = 30_000 }: Pick<InsideLimits, "timeoutMs"> = {},
): Promise<string[]> {
  const { stdout } = await timed(run, ["sh", "-c", listScript, "sh", folder], "", 8 * mebibyte, timeoutMs);
  return stdout.split("\n").map((line) => line.replace(/^\.\//, "")).filter(isPlain).sort();
}

/**
 * Reads what is asked for at the same moment together, and each file once: a command inside costs more than a file.
 * @returns the text of a file, by its path relative to the folder; rejects as `textsInside` does
 */
export function batchedReader(
  run: RunCommandInside,
  folder: string,
  limits: InsideLimits = {},
): (path: string) => Promise<string | undefined> {
  const known = new Map<string, Promise<string | undefined>>();
  let asked: string[] = [];
  let batch: Promise<Map<string, string>> | undefined;
  const nextBatch = async (): Promise<Map<string, string>> => {
    await new Promise((resolve) => setTimeout(resolve));
    const paths = asked;
    [asked, batch] = [[], undefined];
    return await textsInside(run, folder, paths, limits);
  };
  return (path) => {
    const earlier = known.get(path);
    if (earlier) return earlier;
    asked.push(path);
    batch ??= nextBatch();
    const text = batch.then((texts) => texts.get(path));
    known.set(path, text);
    return text;
  };
}

/** Within a folder, and one line. */
const isPlain = (path: string): boolean =>
  path !== "" && path.length < 1000 && !/[\n\0]/.test(path) && !path.startsWith("/") &&
  posix.normalize(path) === path && !/^\.\.?(?:\/|$)/.test(path) && !path.endsWith("/");

async function timed(
  run: RunCommandInside,
  command: string[],
  stdin: string,
  maxBytes: number,
  timeoutMs: number,
): ReturnType<RunCommandInside> {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    return await run(command, { cwd: "/", stdin, maxBytes, signal });
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new PthError(
      "EXEC_FAILED",
      `Cannot read files of the environment: it took more than ${timeoutMs / 1000} s`,
      {},
      { cause: error },
    );
  }
}

/** Sources of a folder inside; rejects where the environment cannot be asked. Each answer is kept. */
export function insideSources(run: RunCommandInside, folder: string): PluginSources {
  let listed: Promise<string[]> | undefined;
  return {
    list: () => listed ??= pathsInside(run, folder).then(chosenSources),
    read: batchedReader(run, folder),
  };
}

/** Limit in ms of all waiting for the second: output may name any number of files. */
const mostWaiting = 20_000;

/**
 * Unites two sources: what the first has, and for what it has not the second. One that cannot be asked any more has nothing, from then on: what
 * is said of the first's files stays true.
 */
export function unitedSources(first: PluginSources, second: PluginSources): PluginSources {
  let isThere = true;
  let waited = 0;
  let waiting = 0;
  let since = 0;
  const fromSecond = async <Answer>(ask: () => Promise<Answer>, otherwise: Answer): Promise<Answer> => {
    if (!isThere || waited > mostWaiting) return otherwise;
    if (waiting++ === 0) since = performance.now();
    try {
      return await ask();
    } catch {
      // The state of an environment that does not answer is reported separately.
      isThere = false;
      return otherwise;
    } finally {
      if (--waiting === 0) waited += performance.now() - since;
    }
  };
  return {
    async list() {
      const paths = await first.list();
      return paths.length > 0 ? paths : await fromSecond(second.list, []);
    },
    read: async (path) => await first.read(path) ?? await fromSecond(() => second.read(path), undefined),
  };
}

/** The same sources, called from the folder above. */
export const sourcesBelow = (sources: PluginSources, folder: string): PluginSources => ({
  list: async () => (await sources.list()).map((path) => `${folder}/${path}`),
  read: (path) =>
    path.startsWith(`${folder}/`) ? sources.read(path.slice(folder.length + 1)) : Promise.resolve(undefined),
});
