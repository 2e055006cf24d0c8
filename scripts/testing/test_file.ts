/** Finds test files, and reads what each asks of the runner. */
import { join, relative } from "node:path";
import { readDir, readTextFile, stat } from "../../src/platform/files.ts";

export interface TestFile {
  /** Relative to the repository, with "/". */
  path: string;
  timeoutSeconds: number;
  /** Needs nothing but the source: it can run on Node, too. */
  unit: boolean;
  /** May run in a process with others: it leaves nothing changed. */
  shared: boolean;
  /** The source. */
  text: string;
  /** The file says itself how long it may take: it is among the slow ones. */
  slow: boolean;
  /** Files of one group run one after the other: each takes much of the machine. */
  group?: string;
}

/** Folders below test/ that hold no tests of their own: suites and data that tests use. */
const notTests = new Set(["contracts", "fixtures", "node_modules"]);
const unitSeconds = 90;
const integrationSeconds = 600;

/** All test files at or below the paths (relative to `root`), sorted. */
export async function findTestFiles(root: string, paths: readonly string[]): Promise<TestFile[]> {
  const found = new Set<string>();
  for (const path of paths) {
    for await (const file of walk(join(root, path))) found.add(relative(root, file).replaceAll("\\", "/"));
  }
  return await Promise.all(
    [...found].sort().map(async (path) => readDirectives(path, await readTextFile(join(root, path)))),
  );
}

const isUnitTest = (path: string): boolean => /^test\/(src|machines)\//.test(path);

/** Reads what the file asks for among its first lines: `// test: timeout=900 group=vm`, `own-process`. */
export function readDirectives(path: string, text: string): TestFile {
  const line = text.split("\n", 20).find((candidate) => candidate.startsWith("// test:")) ?? "";
  const seconds = /\btimeout=(\d+)/.exec(line)?.[1];
  const unit = isUnitTest(path);
  const group = /\bgroup=([\w-]+)/.exec(line)?.[1];
  return {
    path,
    text,
    unit,
    shared: unit && !/\b(?:own-process|group=)/.test(line),
    timeoutSeconds: seconds === undefined ? (unit ? unitSeconds : integrationSeconds) : +seconds,
    ...(group === undefined ? {} : { group }),
    slow: seconds !== undefined,
  };
}

async function* walk(path: string): AsyncGenerator<string> {
  if ((await stat(path)).isFile) {
    yield path;
    return;
  }
  for await (const entry of readDir(path)) {
    if (entry.isDirectory && !notTests.has(entry.name)) yield* walk(join(path, entry.name));
    if (entry.isFile && entry.name.endsWith("_test.ts")) yield join(path, entry.name);
  }
}
