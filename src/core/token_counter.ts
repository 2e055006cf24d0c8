/** Counts tokens in bounded time: the tokenizer alone takes quadratic time for a word without an end. */

/** A tokenizer of OpenAI's models; other models' differ by some tenths, so that figures are an estimate for them. */
export const tokenizerName = "o200k_base";

/** Characters that are counted at a time. */
const longestPiece = 500;
const blank = /\s/;

/** Loads the tokenizer, which takes 0.2 s the first time. */
export async function tokenCounter(): Promise<(text: string) => number> {
  const { countTokens } = await import("gpt-tokenizer/encoding/o200k_base");
  // The tokenizer's own marks are text like any other here.
  const options = { disallowedSpecial: new Set<string>() };
  return (text) => {
    let tokens = 0;
    for (let from = 0; from < text.length;) {
      const to = pieceEnd(text, from);
      tokens += countTokens(text.slice(from, to), options);
      from = to;
    }
    return tokens;
  };
}

/** The end of a piece: before a blank in its second half, else where it is full, but within no surrogate pair. */
function pieceEnd(text: string, from: number): number {
  const full = from + longestPiece;
  if (full >= text.length) return text.length;
  for (let at = full; at > from + longestPiece / 2; at--) if (blank.test(text[at]!)) return at;
  return /[\uDC00-\uDFFF]/.test(text[full]!) ? full + 1 : full;
}
