/** Messages between the test runner and a process that runs test files. */

/** One test file, as the process gets it. */
export interface BatchFile {
  /** Relative to the repository. */
  path: string;
  /** Absolute path of the module to import: compiled, on Node. */
  module: string;
  timeoutSeconds: number;
}

/** Begins the line on stderr that says which file starts; with no path behind it, that all are done. */
export const startMark = "\x1e";
