/** The texts beside a line: one for each transition, in two rows where its guard needs one of its own. */
import { rowSize, widestText } from "./text_width.ts";

export const labelRowHeight = 14;

/** All rows of some texts. */
export const labelRows = (texts: string[]): string[] => texts.flatMap((text) => text.split("\n"));

/** The room that a label takes. */
export const labelSize = (texts: string[]): { width: number; height: number } => ({
  width: widestText(labelRows(texts), rowSize) + 10,
  height: labelRows(texts).length * labelRowHeight + 4,
});
