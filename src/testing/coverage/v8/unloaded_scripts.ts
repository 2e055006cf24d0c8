/** Scripts of a plugin that were never loaded, so that V8 tells nothing of them: nothing in them ran. */
import { dirname, join } from "node:path";
import { entriesOf } from "../../../platform/files.ts";

/** Not the plugin's own, not for its server, or the same code once more in another format. */
const aside =
  /^(\..*|node_modules|coverage|vendor|tests?|__\w+__|specs?|e2e|fixtures|examples?|bench(marks?)?|scripts|cjs|esm|umd|browser|web|public|static|assets)$/;
const notServer =
  /(^|[._-])(tests?|specs?|bench|stories|config|setup|min)\.[cm]?js$|^(gulpfile|gruntfile)\./i;

/**
 * In the folders that scripts were loaded from, and below them. The topmost folder is left out: scripts lie there that build,
 * configure and publish.
 * @param loaded relative to `folder`
 * @param top relative to `folder`; "." for itself
 * @returns relative to `folder`, sorted
 */
export async function unloadedScripts(
  folder: string,
  loaded: readonly string[],
  top: string,
): Promise<string[]> {
  const scripts = loaded.filter((path) => /\.[cm]?js$/.test(path));
  const queue = [...new Set(scripts.map((path) => dirname(path)))].filter((path) => path !== top);
  const seen = new Set(queue);
  const found: string[] = [];
  for (const at of queue) {
    for (const { name, isFile, isDirectory } of await entriesOf(join(folder, at))) {
      const path = `${at}/${name}`;
      if (isFile && /\.[cm]?js$/.test(name) && !notServer.test(name)) found.push(path);
      else if (isDirectory && !aside.test(name) && !seen.has(path)) {
        seen.add(path);
        queue.push(path);
      }
    }
  }
  const known = new Set(scripts);
  return found.filter((path) => !known.has(path)).sort();
}
