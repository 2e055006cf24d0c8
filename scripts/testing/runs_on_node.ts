/** Chooses the unit tests that run on plain Node, too, when everything runs on Deno. */
import type { TestFile } from "./test_file.ts";

/** Folders whose code differs between the runtimes, or is all about what the runtime gives. */
const differs = /^test\/src\/(?:platform|client|runtimes|cli)\//;
/** Modules that each runtime implements itself: processes, sockets, servers, streams, compression. */
const touches =
  /"node:(?:child_process|net|https?|tls|dns|zlib|tty|readline|worker_threads|stream)\b|\/platform\/(?:process|sockets|http_server|streams|terminal)\.ts"|\bDeno\./;
/** Minimum for each folder (the shortest files), as a sign that it loads and works there. */
const ofEachFolder = 2;

/**
 * Picks what runs on Node beside Deno: where the runtimes can differ, and at least two of each folder.
 * Tests of the repository's own scripts use Deno as the scripts do and are never among them.
 */
export function runsOnNode(files: readonly TestFile[], everything: boolean): TestFile[] {
  const able = files.filter(({ path, unit }) => unit && !path.startsWith("test/src/scripts/"));
  if (everything) return able;
  const folderOf = ({ path }: TestFile): string => path.slice(0, path.lastIndexOf("/"));
  const chosen = new Set(able.filter(({ path, text }) => differs.test(path) || touches.test(text)));
  for (const file of able.toSorted((a, b) => a.text.length - b.text.length)) {
    const beside = [...chosen].filter((other) => folderOf(other) === folderOf(file));
    if (beside.length < ofEachFolder) chosen.add(file);
  }
  return able.filter((file) => chosen.has(file));
}
