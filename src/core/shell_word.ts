/** Quotes a word so that a POSIX shell reads it as itself; one that needs no quotes stays. */
export const shellWord = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
