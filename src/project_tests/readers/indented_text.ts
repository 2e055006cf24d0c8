/** Text of an element as writers of XML set it: its lines without the indentation that they share. */
export function indentedText(text: string): string {
  const lines = text.replace(/^[ \t]*\n/, "").trimEnd().split("\n");
  const indents = lines.filter((line) => line.trim() !== "").map((line) =>
    line.length - line.trimStart().length
  );
  const shared = Math.min(...indents, 80);
  return lines.map((line) => line.slice(shared)).join("\n");
}
