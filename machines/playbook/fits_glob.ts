/** Globs for names and texts: `*` is any text, `?` one character. */

/** Whether the whole text fits. Takes time in proportion to both lengths, whatever the glob. */
export function fitsGlob(glob: string, text: string): boolean {
  let at = 0;
  let position = 0;
  /** Place to go on from when what follows the last `*` does not fit. */
  let retry: { at: number; position: number } | undefined;
  while (position < text.length) {
    const wanted = glob[at];
    if (wanted === "*") {
      retry = { at: ++at, position };
    } else if (wanted !== undefined && (wanted === "?" || wanted === text[position])) {
      at++;
      position++;
    } else if (retry !== undefined) {
      at = retry.at;
      position = ++retry.position;
    } else {
      return false;
    }
  }
  while (glob[at] === "*") at++;
  return at === glob.length;
}
