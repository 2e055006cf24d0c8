/** The files of an agent's project, to see what it changed. */
import type { AgentTrace } from "../../../machines/model/agent_session.ts";
import type { LiveEnvironment } from "../stores/environment_holder.ts";

/** Bytes of the list; what is beyond is not seen. */
const longestList = 4 * 1024 * 1024;

/** Name under which the state of the project's repository stands among its files; no file has such a name. */
const repository = ".git/";

/** Script that lists files, links, and one checksum for all that branches, tags and stashes of a repository refer to. */
const script = [
  'cd "$1" || exit',
  "find . -name .git -prune -o -type f -exec sha256sum {} + -o -type l -print",
  "[ ! -d .git ] || { cat .git/HEAD .git/packed-refs; find .git/refs -type f -exec sha256sum {} + | sort; }" +
  ` 2>/dev/null | sha256sum | sed 's|-$|${repository}|'`,
].join("; ");

/** Lists a checksum for each file by its path, and one for the state of the project's repository. */
export async function projectFiles(
  { runtime, info }: LiveEnvironment,
  folder: string,
  signal: AbortSignal,
): Promise<Record<string, string>> {
  const { stdout } = await runtime.exec(info.handle, ["sh", "-c", script, "sh", folder], {
    signal,
    maxBytes: longestList,
  });
  return Object.fromEntries(
    stdout.split("\n").filter((line) => line !== "").map((line) => {
      const [, checksum = "link", path = line] = /^\\?([0-9a-f]{64}) [ *](.*)$/.exec(line) ?? [];
      return [path.replace(/^\.\//, ""), checksum];
    }),
  );
}

/** Differences between two lists, in the order of the paths. */
export function changedFiles(
  before: Record<string, string>,
  after: Record<string, string>,
): AgentTrace["changes"] {
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return paths.flatMap((path): AgentTrace["changes"] => {
    if (path === repository || before[path] === after[path]) return [];
    return [{
      path,
      change: before[path] === undefined ? "added" : after[path] === undefined ? "removed" : "changed",
    }];
  });
}

/** Whether commits, branches, tags or stashes changed between two lists. */
export const gitChanged = (before: Record<string, string>, after: Record<string, string>): boolean =>
  before[repository] !== after[repository];
