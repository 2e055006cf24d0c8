/** Request that brings what the author changed into a session that is under way. */
import { join, sep } from "node:path";
import { PthError } from "../../core/errors.ts";
import type { PluginCommands } from "../../api/harness.ts";
import { pathExists } from "../../platform/files.ts";
import { loadValid } from "../../testing/format/load.ts";
import { defaultTestFolder } from "../../testing/format/test_folders.ts";
import { shownFolder, testFolder } from "../tests/discover_tests.ts";
import type { SessionParts } from "../session/session_parts.ts";
import { replaceTests } from "../tests/replace_tests.ts";
import { takeFiles } from "../../session/take_files.ts";

export function syncChangesCommand(context: SessionParts): Pick<PluginCommands, "takeChanges"> {
  return {
    async takeChanges(paths) {
      const { folder, worktree, subfolder } = context.live.code.source!;
      if (folder === undefined) {
        throw new PthError("UNSUPPORTED", "Cannot take changes: the plugin is no folder of this machine", {
          next: ["Start a session of the folder in which the plugin is worked on"],
        });
      }
      const copy = join(worktree, subfolder);
      await takeFiles(folder, copy, paths);
      if (paths.some((path) => path.startsWith(`${defaultTestFolder}/`))) await readAgain(context);
      const files = new Set(paths.map((path) => join(shownFolder(context), path)));
      return { tests: context.tests.all.filter(({ file }) => file && files.has(file)).map(({ id }) => id) };
    },
  };
}

/** Unless tests of another place were asked for in place of the plugin's own. */
async function readAgain(context: SessionParts): Promise<void> {
  const folder = testFolder(context);
  const shown = join(shownFolder(context), defaultTestFolder);
  const isOwn = ({ file }: { file?: string }) => file?.startsWith(shown + sep) === true;
  if (context.tests.all.some((test) => test.file !== undefined && !isOwn(test))) return;
  const { tests: read, texts } = await pathExists(folder)
    ? await loadValid(folder, shown)
    : { tests: [], texts: [] };
  for (const [file, text] of texts) context.tests.texts.set(file, text);
  const names = new Set(read.map(({ name }) => name));
  const others = context.tests.all.filter((test) => !isOwn(test) && !names.has(test.name));
  replaceTests(context, [...read, ...others]);
}
