/** Scripts of a plugin that were never loaded, so that V8 tells nothing of them: nothing in them ran. */
import { posix } from "node:path";

/** Not the plugin's own, not for its server, or the same code once more in another format. */
const aside =
  /^(\..*|node_modules|coverage|vendor|tests?|__\w+__|specs?|e2e|fixtures|examples?|bench(marks?)?|scripts|cjs|esm|umd|browser|web|public|static|assets)$/;
const notServer =
  /(^|[._-])(tests?|specs?|bench|stories|config|setup|min)\.[cm]?js$|^(gulpfile|gruntfile)\./i;

/**
 * In the folders that scripts were loaded from, and below them. The topmost folder is left out: scripts lie there that build,
 * configure and publish.
 * @param files paths of all files, relative to the plugin's folder
 * @param loaded relative to it, too
 * @param top relative to it; "." for itself
 * @returns relative to it, sorted
 */
export function unloadedScripts(files: readonly string[], loaded: readonly string[], top: string): string[] {
  const known = new Set(loaded.filter((path) => /\.[cm]?js$/.test(path)));
  const starts = new Set([...known].map((path) => posix.dirname(path)).filter((path) => path !== top));
  const isBelow = (folder: string): boolean => {
    for (let at = folder;;) {
      if (starts.has(at)) return true;
      if (at === "." || at === "/" || aside.test(posix.basename(at))) return false;
      at = posix.dirname(at);
    }
  };
  return files.filter((path) =>
    /\.[cm]?js$/.test(path) && !known.has(path) && !notServer.test(posix.basename(path)) &&
    isBelow(posix.dirname(path))
  ).sort();
}
