/** A file that `deno task gen` writes. */
export interface GeneratedFile {
  /** Relative to the repository. */
  path: string;
  text: string;
}
