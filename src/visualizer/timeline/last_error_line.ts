/** What a program said last, before it was gone. */

/** What runtimes write below an error, whatever the error was. */
const closing = /^(?:Node\.js v\d|\(Use `node --trace-|note: run with `RUST_BACKTRACE|exit status \d)/;
const goroutine = /^goroutine \d+ \[/;
const caret = /^\s*\^+\s*$/;

/** The line of what went to stderr that says most of why: of an uncaught error its own, else the last. */
export function lastErrorLine(stderr: unknown): string | undefined {
  if (typeof stderr !== "string") return undefined;
  const lines = stderr.split("\n").filter((line) => line.trim() !== "");
  return (thrown(lines) ?? panic(lines) ?? lines.findLast((line) => !closing.test(line)))?.trim();
}

/** Node shows the place with a caret, then the error with its stack and properties, then its version. */
function thrown(lines: readonly string[]): string | undefined {
  if (!/^Node\.js v\d/.test(lines.at(-1) ?? "")) return undefined;
  const place = lines.findLastIndex((line) => caret.test(line));
  return place < 0 ? undefined : lines[place + 1];
}

/** Go tells below a panic what each goroutine did. */
function panic(lines: readonly string[]): string | undefined {
  const stacks = lines.findIndex((line) => goroutine.test(line));
  return stacks < 1 ? undefined : lines[stacks - 1];
}
