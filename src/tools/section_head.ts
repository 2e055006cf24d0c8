/**
 * The beginning of a long text, cut at a line's end, and how much was left out.
 * @param more how to see the rest
 */
export function sectionHead(text: string, characters: number, more = ""): string {
  if (text.length <= characters) return text;
  const end = text.lastIndexOf("\n", characters);
  const kept = text.slice(0, end <= 0 ? characters : end);
  return `${kept}\n… ${text.length - kept.length} characters left out${more}`;
}
