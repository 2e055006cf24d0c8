/**
 * The text of a probing script, cut at its `== name` lines: one round trip into an environment answers many questions.
 */
export function sections(text: string): Map<string, string[]> {
  const found = new Map<string, string[]>();
  let lines: string[] = [];
  for (const line of text.split("\n")) {
    const name = line.match(/^== (\w+)$/)?.[1];
    if (name !== undefined) found.set(name, lines = []);
    else if (line !== "") lines.push(line);
  }
  return found;
}

/** A section's first line as a number; 0 where there is none. */
export function sectionNumber(found: Map<string, string[]>, name: string): number {
  const value = Number.parseFloat(found.get(name)?.[0] ?? "");
  return Number.isFinite(value) ? value : 0;
}
