/** Texts fitted to columns of a terminal: wide characters take two, combined ones the room of one. */

/** Most UTF-16 code units of a text that one column can take: an emoji of a family takes 11. */
const mostUnits = 32;
const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const wide =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;

/** Columns that plain text takes in a terminal. */
export function columnWidth(text: string): number {
  // deno-lint-ignore no-control-regex -- all of ASCII takes the short way
  if (/^[\u0000-\u007f]*$/.test(text)) return text.length;
  let columns = 0;
  for (const { segment } of graphemes.segment(text)) columns += wide.test(segment) ? 2 : 1;
  return columns;
}

/** Cuts a text to so many columns, with "…" where something is missing. */
export function cutToColumns(text: string, columns: number): string {
  if (columns <= 0) return "";
  // Only the text near the cut is segmented: on Node that takes the square of the length.
  const near = text.slice(0, columns * mostUnits);
  if (near.length === text.length && columnWidth(text) <= columns) return text;
  let kept = "";
  let used = 0;
  for (const { segment } of graphemes.segment(near)) {
    used += columnWidth(segment);
    if (used > columns - 1) break;
    kept += segment;
  }
  return kept + "…";
}

/** Breaks lines longer than `columns`, at spaces where there are any; each piece keeps the leading spaces. */
export function wrapColumns(text: string, columns: number): string[] {
  const room = Math.max(4, columns);
  return text.split("\n").flatMap((line) => wrapLine(line, room));
}

function wrapLine(line: string, columns: number): string[] {
  if (columnWidth(line) <= columns) return [line];
  const lead = line.match(/^ */)![0].slice(0, columns >> 1);
  const lines: string[] = [];
  let current = lead;
  for (const word of line.trim().split(" ")) {
    const joined = current === lead ? lead + word : `${current} ${word}`;
    if (columnWidth(joined) <= columns) {
      current = joined;
      continue;
    }
    if (current !== lead) lines.push(current);
    current = lead + word;
    while (columnWidth(current) > columns) {
      const piece = cutToColumns(current, columns + 1).slice(0, -1);
      lines.push(piece);
      current = lead + current.slice(piece.length);
    }
  }
  return [...lines, current];
}
