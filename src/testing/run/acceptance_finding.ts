/** What `--strict` changes, for those who decide it and those who tell people of it. */

/** The one finding that `--strict` turns into a failure: a tool accepted what its schema forbids. */
export const acceptanceFinding = "schema-not-enforced";
