/** Finds what a person said of a failure. */
import type { CorpusJudgements, FailedTest, Judgement } from "./corpus_schema.ts";

/** A judgement of the test by its whole id comes before those with a `*`; of these the first in the file counts. */
export function judgementOf(
  judgements: CorpusJudgements,
  name: string,
  { test, message }: FailedTest,
): Judgement | undefined {
  const entries = Object.entries(judgements[name] ?? {});
  const fitting = entries.filter(([id, { says = "" }]) => fits(id, test) && message.includes(says));
  return (fitting.find(([id]) => id === test) ?? fitting[0])?.[1];
}

const fits = (id: string, test: string): boolean =>
  new RegExp(`^${id.split("*").map(RegExp.escape).join(".*")}$`).test(test);
