/** Folder of example files of a session's plugin: where its server may read, and where inputs name them. */
import { posix } from "node:path";
import { exampleFolder } from "../../testing/example_files/example_paths.ts";
import { callPlace } from "../session/call_place.ts";
import type { SessionResources } from "../session_resources.ts";

/** Most arguments of a server that are looked at. */
const mostArguments = 50;
const lookMs = 10_000;

/** Prints those of the arguments that are folders, each as an absolute path. */
const findFolders = `for path; do
  [ -d "$path" ] && (cd -P -- "$path" && printf '%s\\n' "$PWD")
done
exit 0`;

/**
 * Path for inputs: absolute where it is the same in each run, else relative to the plugin's folder; undefined where no files
 * can be laid out beside the server.
 */
export async function exampleFolderOf(live: SessionResources): Promise<string | undefined> {
  const { environment: { current }, target } = live;
  if (current === undefined || target.url !== undefined) return undefined;
  if (!callPlace(live).isolated) return exampleFolder;
  const own = workingFolder(live);
  return posix.join(await folderOfArguments(live, own) ?? own, exampleFolder);
}

/** Folder in which the server runs, to which relative paths belong. */
export const workingFolder = ({ plugin, environment }: SessionResources): string =>
  plugin.plan?.server.cwd ?? plugin.folder ?? environment.require().info.handle.sourcePath;

/** The first folder that the server was given, unless one of them holds the plugin's own: it may be all that it reads. */
async function folderOfArguments(live: SessionResources, own: string): Promise<string | undefined> {
  const { runtime, info } = live.environment.require();
  const server = live.plugin.plan?.server;
  const given = server?.command?.slice(1, mostArguments) ?? [];
  const paths = given.map((word) => word.replace(/^--?[\w-]+=/, "")).filter((word) => !word.startsWith("-"));
  if (paths.length === 0) return undefined;
  const { stdout } = await runtime.exec(info.handle, ["sh", "-c", findFolders, "sh", ...paths], {
    cwd: own,
    signal: AbortSignal.timeout(lookMs),
    maxBytes: 100_000,
  });
  const folders = stdout.split("\n").filter((path) => /^\/[\w./@+-]*$/.test(path) && path !== "/");
  return folders.some((path) => `${own}/`.startsWith(`${path}/`)) ? undefined : folders[0];
}
