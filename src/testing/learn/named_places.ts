/** Places of an input that the words of a refusal are about. */
import type { InputPlace } from "./input_places.ts";

/** Whether a text has these characters as a word of their own. */
export function hasWord(text: string, word: string): boolean {
  if (word === "") return false;
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const beside = (character: string | undefined, own: string) =>
      character !== undefined && /[\p{L}\p{N}_]/u.test(character) && /[\p{L}\p{N}_]/u.test(own);
    if (!beside(text[at - 1], word[0]!) && !beside(text[at + word.length], word.at(-1)!)) return true;
  }
  return false;
}

/** Places that are named, then places whose value is quoted; each once. */
export function namedPlaces(words: string, places: readonly InputPlace[]): InputPlace[] {
  const named = places.filter(({ name }) => hasWord(words, name));
  const spelled = places.filter(({ words: parts }) =>
    parts.length > 0 && words.toLowerCase().includes(parts.join(" "))
  );
  const quoted = places.filter(({ value }) => String(value).length > 1 && hasWord(words, String(value)));
  return [...new Set([...named, ...quoted, ...spelled])];
}
