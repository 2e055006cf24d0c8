/** Names the finding that `--strict` changes, for code that decides it and code that reports it. */

/** The one finding that `--strict` turns into a failure: a tool accepted what its schema forbids. */
export const acceptanceFinding = "schema-not-enforced";
