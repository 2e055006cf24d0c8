/**
 * Long answers in pages that a model takes in: the first is the answer, the rest waits here for whoever asks.
 *
 * Hosts refuse or hide what is long (Claude Code beyond some 25,000 tokens), and every token stays in the model's context.
 */
import { Buffer } from "node:buffer";
import { PthError } from "../core/errors.ts";
import { tokenCounter } from "../core/token_counter.ts";

/** Tokens (o200k_base) of an answer at most, with the line that tells of the rest. */
export const mostTokens = 3900;
/** Tokens that a longer text is cut to: that line takes some, too. */
const pageTokens = 3800;
/** Characters after which a line is broken up. */
const longestPiece = 500;
/** Answers whose rest is kept, the latest ones, and characters of each. */
const answersKept = 8;
const mostKept = 2_000_000;

export interface AnswerPages {
  /** The text, or its first page with the way to the next. */
  first(text: string): Promise<string>;
  /** Keeps a text of which nothing, or only a part, is shown; its cursor. */
  keep(text: string): string;
  /** @throws {PthError} `INVALID_INPUT` for a cursor that is not known, or not any more */
  next(cursor: string): Promise<string>;
}

export function answerPages(): AnswerPages {
  const rests = new Map<string, string>();
  let given = 0;

  async function page(text: string): Promise<string> {
    const size = await pageEnd(text);
    if (size === text.length) return text;
    const rest = text.slice(size);
    const cursor = keep(rest);
    const lines = rest.split("\n").length;
    const lost = rest.length - mostKept;
    return `${text.slice(0, size).trimEnd()}\n… ${lines} more line${
      lines === 1 ? "" : "s"
    }: pth_get_more({ cursor: "${cursor}" })` +
      (lost > 0 ? `; ${lost} more characters were dropped` : "");
  }
  function keep(text: string): string {
    const cursor = `more-${++given}`;
    rests.set(cursor, text.slice(0, mostKept));
    if (rests.size > answersKept) rests.delete(rests.keys().next().value!);
    return cursor;
  }
  return {
    first: page,
    keep,
    async next(cursor) {
      const rest = rests.get(cursor);
      if (rest === undefined) {
        throw new PthError(
          "INVALID_INPUT",
          `Cannot continue at ${cursor}: unknown or expired cursor`,
          {
            next: [`Call the tool again; the last ${answersKept} long answers are kept`],
          },
        );
      }
      return await page(rest);
    },
  };
}

/** The end of a text's first page: after the last line that fits, or within a line where lines are very long. */
async function pageEnd(text: string): Promise<number> {
  // A token is a byte at least.
  if (Buffer.byteLength(text.slice(0, mostTokens + 1)) <= mostTokens) return text.length;
  const countTokens = await tokenCounter();
  let tokens = 0;
  let end = 0;
  let afterLine = 0;
  let tokensAfterLine = 0;
  let cut = 0;
  while (end < text.length) {
    const newline = text.indexOf("\n", end);
    const lineEnd = newline < 0 ? text.length : newline + 1;
    const piece = text.slice(end, Math.min(lineEnd, wholeCharacters(text, end + longestPiece)));
    tokens += countTokens(piece);
    if (tokens > mostTokens) return cut;
    end += piece.length;
    if (tokens > pageTokens) continue;
    if (end === lineEnd) [afterLine, tokensAfterLine] = [end, tokens];
    cut = tokensAfterLine > pageTokens / 2 ? afterLine : end;
  }
  return end;
}

/** The place, or the one after it where it would divide a surrogate pair. */
const wholeCharacters = (text: string, at: number): number =>
  /^[\uDC00-\uDFFF]/.test(text.charAt(at)) ? at + 1 : at;
