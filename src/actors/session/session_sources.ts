/**
 * The files of a session's plugin, each read from where it is to be believed: what the repository holds from the host's copy,
 * what was installed or built from inside the environment.
 */
import { join, posix } from "node:path";
import { folderSources, type PluginSources, textSources } from "../../plugin/plugin_sources.ts";
import { accessTo, insideFolder } from "../../plugin/environment_access.ts";
import {
  insideSources,
  type RunCommandInside,
  sourcesBelow,
  unitedSources,
} from "../../plugin/run_command_inside.ts";
import { hostFolder, type ReadableFolder } from "../../plugin/readable_folder.ts";
import { fetchedFolder } from "../../testing/coverage/line_ranges.ts";
import type { SessionResources } from "../session_resources.ts";

export interface SessionSources {
  /** Sources of the plugin's own code; paths are relative to `path`. */
  sources: PluginSources;
  /** The same folder, for documents and manifests. */
  folder: ReadableFolder;
  /** The folder's path inside; undefined without an environment. */
  path: string | undefined;
}

const none = textSources({});

/** Resolves to the source's folder, of a package its own once it is installed; undefined where nothing can be read yet. */
export function sessionSources(live: SessionResources): SessionSources | undefined {
  const { worktree, subfolder, source } = live.code.source!;
  const fetched = fetchedFolder(source);
  const inside = insideOf(live);
  if (fetched !== undefined) {
    return live.plugin.plan === undefined ? undefined : inside?.(fetched);
  }
  const onHost = join(worktree, subfolder);
  const made = inside?.("");
  return {
    sources: made === undefined ? folderSources(onHost) : unitedSources(folderSources(onHost), made.sources),
    folder: hostFolder(onHost),
    path: made?.path,
  };
}

/** The same, with paths that are relative to the plugin's folder also where the code is a package's. */
export function pluginSources(live: SessionResources): PluginSources {
  const found = sessionSources(live)?.sources;
  const fetched = fetchedFolder(live.code.source!.source);
  return found === undefined ? none : fetched === undefined ? found : sourcesBelow(found, fetched);
}

/** Texts of files that only the environment holds, by their paths relative to the plugin's folder. */
export const madeSources = (live: SessionResources): PluginSources => {
  const fetched = fetchedFolder(live.code.source!.source);
  const made = insideOf(live)?.(fetched ?? "").sources ?? none;
  return fetched === undefined ? made : sourcesBelow(made, fetched);
};

function insideOf(live: SessionResources) {
  const { current: environment } = live.environment;
  if (environment === undefined) return undefined;
  const { runtime, info } = environment;
  const { sourcePath } = info.handle;
  const run: RunCommandInside = (command, options) => runtime.exec(info.handle, command, options);
  return (below: string) => {
    const path = posix.join(sourcePath, live.code.source!.subfolder, below);
    return {
      sources: insideSources(run, path),
      folder: insideFolder(accessTo(runtime, info.handle), path),
      path,
    };
  };
}
