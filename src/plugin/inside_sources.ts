/** Sources that only an environment holds: what was installed or built there. */
import { chosenSources, type PluginSources } from "./plugin_sources.ts";
import { batchedReader, pathsInside, type RunCommandInside } from "./run_command_inside.ts";

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
      // How an environment is that cannot be asked is told beside the sources.
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
