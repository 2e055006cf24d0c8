/** What two messages of the same fault have in common, whatever input brought it out. */

/** Without quoted texts, numbers, addresses and paths; on one line, bounded. */
export function commonText(text: string): string {
  return text
    .replace(/(["'`])(?:(?!\1).){0,400}\1/g, "…")
    .replace(/(?:file:\/\/)?(?:[A-Za-z]:)?(?:[\\/][\w.@+-]+)+/g, "…")
    .replace(/0x[0-9a-f]+|\d+(?:\.\d+)?/gi, "#")
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, 160);
}

/** An exception's own line: "TypeError: x is not a function", "panicked at …". */
const exception =
  /^(?:.*\b\w*(?:Error|Exception)\b.*|panic: .*|thread '.*panicked.*|Segmentation fault.*|.*[Aa]bort(?:ed)?.*)$/;

/** Where in the plugin's own code it was: the first frame that is not the runtime's. */
const frame = /^\s+(?:at |File ").*$/;
const foreign = /node:internal|node_modules|<anonymous>|\/usr\/lib\/python/;

/** What a stack trace is about, without values and line numbers. */
export function traceSignature(text: string): string {
  const lines = text.split("\n");
  const what = lines.findLast((line) => exception.test(line)) ?? lines.find((line) => line.trim() !== "") ??
    "";
  const where = lines.find((line) => frame.test(line) && !foreign.test(line)) ?? "";
  const place = /([\w$.<>]+) \(|File "[^"]*", line \d+, in (\w+)/.exec(where);
  return [commonText(what), place?.[1] ?? place?.[2] ?? ""].filter((part) => part !== "").join(" in ");
}
