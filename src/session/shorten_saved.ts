/** Long texts in a session's saved state. */

const longest = 1000;

export const shortenSaved = (text: string): string =>
  text.length <= longest ? text : `${text.slice(0, longest - 1)}…`;
