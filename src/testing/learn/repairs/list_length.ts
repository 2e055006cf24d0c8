import type { Attempt } from "../attempt.ts";
import { withValue } from "../attempt.ts";
import { hasWord } from "../named_places.ts";
import { defineRepair } from "../repair.ts";

const sign =
  /\b(?:at least|minimum(?: of)?|no (?:less|fewer) than|not (?:less|fewer) than|requires?|needs?|expected)\s+(\d{1,3}|two|three|four|five)\b(?!\s*(?:characters?|chars?|letters?|digits?|bytes?|seconds?|words?)\b)/i;
const numbers: Readonly<Record<string, number>> = { two: 2, three: 3, four: 4, five: 5 };

const longestMade = 100;

export default defineRepair({
  name: "list_length",
  summary: "`at least 2 files are required`: a list gets as many elements",
  rank: 7,
  repair({ attempt, words }) {
    const [, text = ""] = sign.exec(words) ?? [];
    const wanted = numbers[text.toLowerCase()] ?? Number(text);
    if (!(wanted > 1 && wanted <= longestMade)) return [];
    const lists = Object.entries(attempt.input).flatMap(([name, value]) =>
      Array.isArray(value) && value.length > 0 && value.length < wanted ? [{ name, value }] : []
    );
    const named = lists.filter(({ name }) => hasWord(words, name));
    return (named.length > 0 ? named : lists).slice(0, 3).map(({ name, value }) =>
      lengthened(attempt, name, value, wanted)
    );
  },
});

/** Repeats the last element, with the answers that gave it. */
function lengthened(attempt: Attempt, name: string, list: readonly unknown[], wanted: number): Attempt {
  const last = list.length - 1;
  const whole = Array.from({ length: wanted }, (_, index) => list[Math.min(index, last)]);
  const feeds = attempt.feeds.flatMap(({ path: [top, index, ...rest], value }) =>
    top !== name || index !== last
      ? []
      : whole.slice(list.length).map((_, at) => ({ path: [name, list.length + at, ...rest], value }))
  );
  return { ...withValue(attempt, [name], whole), feeds: [...attempt.feeds, ...feeds] };
}
