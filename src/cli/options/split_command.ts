/** A command line as a shell would split it. */

/**
 * Words of a command; quotes and backslashes as in `sh`. What needs a shell (pipes, redirections, `&&`, `$NAME` …)
 * becomes `sh -c` with the whole text.
 * @throws {Error} when a quote is not closed or there is no word
 */
export function splitCommand(command: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = "";
  for (let i = 0; i < command.length; i++) {
    const character = command[i]!;
    if (quote === "'") {
      if (character === "'") quote = "";
      else word += character;
    } else if (character === "\\" && (quote === "" || '"\\$`'.includes(command[i + 1] ?? ""))) {
      if (i + 1 === command.length) throw new Error("it ends in a backslash");
      word = (word ?? "") + command[++i];
    } else if (character === "$" || character === "`") {
      return throughShell(command);
    } else if (character === '"' || (character === "'" && quote === "")) {
      quote = quote === "" ? character : "";
      word ??= "";
    } else if (quote === "" && /\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (quote === "" && "|&;<>()".includes(character)) {
      return throughShell(command);
    } else {
      word = (word ?? "") + character;
    }
  }
  if (quote !== "") throw new Error(`a ${quote} is not closed`);
  if (word !== undefined) words.push(word);
  if (words.length === 0) throw new Error("it is empty");
  return words;
}

const throughShell = (command: string): string[] => ["sh", "-c", command];
