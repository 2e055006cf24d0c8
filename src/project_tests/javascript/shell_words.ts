/** Splits command lines of scripts as a shell would, as far as that can be known without running them. */

export interface ShellWord {
  /** The word with its quotes. */
  raw: string;
  /** The word without quotes; variables and patterns stay as they are. */
  text: string;
}

/**
 * Commands of a line, one after the other. What a command's output goes into, and what would run only after a failure,
 * is left away; commands within others are not looked into.
 */
export function shellCommands(line: string): ShellWord[][] {
  const commands: ShellWord[][] = [];
  let words: ShellWord[] = [];
  let ignored = false;
  const close = () => {
    if (words.length > 0) commands.push(words);
    words = [];
  };
  const token =
    /\s*(?:(&&|\|\||[;|&\n]|\d*>[>&]?\s*\S+|<\s*\S+)|((?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s;&|<>'"\\])+)|(.))/gsy;
  for (const [, operator, raw, other] of line.matchAll(token)) {
    if (operator !== undefined) {
      if (/^\d*[<>]/.test(operator)) continue;
      ignored = operator === "|" || operator === "||";
      close();
    } else if (raw !== undefined && !ignored) words.push({ raw, text: unquoted(raw) });
    else if (other !== undefined && other.trim() !== "") return []; // an open quote
  }
  close();
  return commands;
}

const unquoted = (raw: string): string =>
  raw.replaceAll(
    /'([^']*)'|"((?:\\.|[^"\\])*)"|\\(.)/gs,
    (_all, single, double, escaped) => single ?? double?.replaceAll(/\\(["\\$`])/g, "$1") ?? escaped,
  );

/** Options among words, each with its value where the pattern says that the next word is one, and words to keep. */
export function flagsIn(words: readonly ShellWord[], takesValue: RegExp, kept?: RegExp): ShellWord[] {
  return words.filter(({ text }, at) => {
    const before = words[at - 1]?.text ?? "";
    return (text.startsWith("-") && text !== "-") || takesValue.test(before) || kept?.test(text) === true;
  });
}
