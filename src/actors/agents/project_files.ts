/** The files of an agent's project, to see what it changed. */
import type { AgentTrace } from "../../../machines/model/agent_session.ts";
import type { LiveEnvironment } from "../stores/environment_holder.ts";

/** Bytes of the list; what is beyond is not seen. */
const longestList = 4 * 1024 * 1024;

/** Lists a checksum for each file by its path; git's own files count for none. */
export async function projectFiles(
  { runtime, info }: LiveEnvironment,
  folder: string,
  signal: AbortSignal,
): Promise<Record<string, string>> {
  const script = 'cd "$1" && find . -name .git -prune -o -type f -exec sha256sum {} + -o -type l -print';
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
    if (before[path] === after[path]) return [];
    return [{
      path,
      change: before[path] === undefined ? "added" : after[path] === undefined ? "removed" : "changed",
    }];
  });
}
