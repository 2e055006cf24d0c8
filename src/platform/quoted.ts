/** A word as a POSIX shell reads it back unchanged. */
export const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;
