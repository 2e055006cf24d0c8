/** Hunk headers that fit their hunks: people and models miscount lines, and what counts is that the lines fit. */

/** The patch with the right numbers of lines in its `@@` headers, ending in a line end. */
export function recountPatch(patch: string): string {
  const lines = patch.replace(/\n?$/, "\n").split("\n").slice(0, -1);
  const output: string[] = [];
  for (let at = 0; at < lines.length;) {
    const header = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@(.*)$/.exec(lines[at]!);
    if (!header) {
      output.push(lines[at++]!);
      continue;
    }
    const body = bodyFrom(lines, at + 1);
    const old = body.filter((line) => /^[- ]/.test(line)).length;
    const now = body.filter((line) => /^[+ ]/.test(line)).length;
    output.push(`@@ -${header[1]},${old} +${header[2]},${now} @@${header[3]}`, ...body);
    at += 1 + body.length;
  }
  return output.join("\n") + "\n";
}

/** Lines of one hunk; an empty one stands for an empty line of context, unless nothing of the hunk follows. */
function bodyFrom(lines: readonly string[], start: number): string[] {
  let end = start;
  while (end < lines.length && !endsHunk(lines, end)) end++;
  while (end > start && lines[end - 1] === "") end--;
  return lines.slice(start, end).map((line) => line === "" ? " " : line);
}

function endsHunk(lines: readonly string[], at: number): boolean {
  const line = lines[at]!;
  if (line === "" || /^[+\\ ]/.test(line)) return false;
  if (!line.startsWith("-")) return true;
  // The signature that mail programs add, and the header of the next file.
  return (line === "-- " && at >= lines.length - 3) ||
    (line.startsWith("--- ") && lines[at + 1]?.startsWith("+++ ") === true);
}
