/** Sizes of texts in a monospace font, in CSS pixels: the same on every machine, without a font to ask. */

/** Width of a character of every usual monospace font, in em; a bit more than it takes. */
const advance = 0.61;

export const titleSize = 13;
export const rowSize = 11;
export const chartRowHeight = 16;
export const titleHeight = 26;

export const textWidth = (text: string, size: number): number => Math.ceil([...text].length * size * advance);

/** Width of the widest of some lines; 0 for none. */
export const widestText = (lines: string[], size: number): number =>
  lines.reduce((most, line) => Math.max(most, textWidth(line, size)), 0);

/**
 * Height of one row of an edge's label, in pixels. A label has one text for each transition; a long guard takes a
 * second row.
 */
export const labelRowHeight = 14;

/** All rows of some texts. */
export const labelRows = (texts: string[]): string[] => texts.flatMap((text) => text.split("\n"));

/** The room that a label takes. */
export const labelSize = (texts: string[]): { width: number; height: number } => ({
  width: widestText(labelRows(texts), rowSize) + 10,
  height: labelRows(texts).length * labelRowHeight + 4,
});
