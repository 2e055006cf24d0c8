/** What one check of `deno task ok` is. */
export interface Check {
  /** What holds when it finds nothing. */
  name: string;
  /** Every problem, each as one text that names the place and what to do. */
  run(tree: Tree): Promise<string[]>;
}

/** The repository's text files: tracked ones and new ones that git does not ignore. */
export interface Tree {
  /** Absolute path of the repository. */
  root: string;
  /** Paths relative to the repository, with "/", sorted. */
  paths: string[];
  /** The text of one of them. */
  read(path: string): Promise<string>;
}

/** Identity with types. */
export const defineCheck = (check: Check): Check => check;
