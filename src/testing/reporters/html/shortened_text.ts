/** Texts cut so that the page stays small, whatever servers send. */

/** Characters of texts of tests in one page, together. */
const wholePage = 1_200_000;

/** Characters that one text may have, where so many tests have some. */
export const roomFor = (tests: number): number =>
  Math.max(200, Math.min(8000, Math.floor(wholePage / Math.max(1, tests) / 4)));

/** The beginning, or the end where that tells more, and how much is missing. */
export function shortenedText(text: string, room: number, keep: "beginning" | "end" = "beginning"): string {
  if (text.length <= room) return text;
  const missing = `… ${(text.length - room).toLocaleString("en-US")} more characters`;
  return keep === "beginning" ? `${text.slice(0, room)}\n${missing}` : `${missing}\n${text.slice(-room)}`;
}
