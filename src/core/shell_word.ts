/** Quotes a word so that a POSIX shell reads it as itself; one that needs no quotes stays. */
export const shellWord = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Quotes a word for people to paste into bash or zsh: what a terminal does not show is written as an escape. */
export const pastedWord = (word: string): string =>
  word.search(unseen) < 0
    ? shellWord(word)
    : `$'${word.replaceAll(/['\\]/g, "\\$&").replaceAll(unseen, escapeOf)}'`;

function escapeOf(character: string): string {
  const code = character.codePointAt(0)!;
  const hex = code.toString(16);
  return code < 0x80
    ? `\\x${hex.padStart(2, "0")}`
    : code < 0x1_0000
    ? `\\u${hex.padStart(4, "0")}`
    : `\\U${hex.padStart(8, "0")}`;
}
