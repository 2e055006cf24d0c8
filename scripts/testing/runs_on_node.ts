/** Which unit tests run on plain Node, too, when everything runs on Deno. */
import type { TestFile } from "./test_file.ts";

/** Folders whose code differs between the runtimes, or is all about what the runtime gives. */
const differs = /^test\/src\/(?:platform|client|runtimes|cli)\//;
/** What a test takes from the runtime or from PTH's own layer above it: files, processes, sockets, streams. */
const touches =
  /"node:(?:child_process|net|http|https|fs|fs\/promises|stream|tls|dns|zlib|tty|readline|worker_threads)"|\/platform\/[\w/]+\.ts"|\bprocess\.|\bDeno\./;
/** Of each other folder so many, as a sign that it loads and works there. */
const ofEachFolder = 3;

/**
 * Picks what runs on Node beside Deno: where the runtimes can differ, and a few of each other folder.
 * Tests of the repository's own scripts use Deno as the scripts do and are never among them.
 */
export function runsOnNode(files: readonly TestFile[], everything: boolean): TestFile[] {
  const able = files.filter(({ path, unit }) => unit && !path.startsWith("test/src/scripts/"));
  if (everything) return able;
  const few = new Map<string, number>();
  return able.filter(({ path, text }) => {
    if (differs.test(path) || touches.test(text)) return true;
    const folder = path.slice(0, path.lastIndexOf("/"));
    const before = few.get(folder) ?? 0;
    few.set(folder, before + 1);
    return before < ofEachFolder;
  });
}
