/** Names the finding that `--strict` changes, for code that decides it and code that reports it. */

/** The one finding that `--strict` turns into a failure: a tool accepted what its schema forbids. */
export const acceptanceFinding = "schema-not-enforced";

/** Note of a test whose tool accepted what its schema forbids. @param words how the input breaks the schema */
export const acceptanceNote = (words: string): string => `accepted although ${words}`;

/** Name that says what happened: a tool that was to refuse something accepted it, which is no failure. */
export const nameOfOutcome = (name: string, note = ""): string =>
  note.startsWith(acceptanceNote("")) ? name.replace(/\brefuses (.*)$/, "accepted $1 (not enforced)") : name;
