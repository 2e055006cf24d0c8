/** `output_contains`: what the agent said matches. */
import * as z from "zod";
import { defineExpectation, type Judgement } from "../expectation.ts";
import { matchIn, patternMiss, requiredPatternKeys, shownPattern } from "../expected_fields.ts";
import { oneLine, textExcerpt } from "../../core/text.ts";
import { type ObservedSession, timelineEntries } from "../observed_session.ts";

const schema = z.strictObject({
  ...requiredPatternKeys,
  of: z.enum(["final", "all"]).optional().describe(
    "final: the last words to the user (default); all: every text of the main conversation.",
  ),
  absent: z.boolean().optional().describe("true: nothing there matches."),
});

type Expected = z.infer<typeof schema>;

export default defineExpectation({
  type: "output_contains",
  summary: "What the agent said to the user matches a pattern, or does not",
  schema,
  example: { pattern: "startup report", flags: "i" },
  describe: ({ pattern, flags, absent }: Expected) =>
    `the output ${absent === true ? "does not match" : "matches"} ${shownPattern(pattern, flags)}`,
  judge(expected: Expected, session) {
    const { pattern, flags, of = "final", absent = false } = expected;
    const texts = textsOf(session);
    const among = of === "all" ? texts : texts.filter(({ final }) => final);
    const found = among.find(({ text }) => patternMiss("it", text, pattern, flags) === undefined);
    if (absent) {
      if (found === undefined) return { pass: true, actual: null };
      const actual = matchIn(found.text, pattern, flags);
      return {
        pass: false,
        actual,
        reason: `expected no such text, found ${textExcerpt(actual.matched_text, 200)}`,
      };
    }
    if (found !== undefined) return { pass: true, actual: matchIn(found.text, pattern, flags), at: found.at };
    return missed(expected, texts, among);
  },
});

interface Said {
  at: number;
  text: string;
  final: boolean;
}

/** Texts of the main conversation; the last turn's text is the final one. */
function textsOf(session: ObservedSession): Said[] {
  const turns = timelineEntries(session, "turn").filter(({ lane }) => lane === "main").flatMap((
    { at, text },
  ) => text === undefined ? [] : [{ at, text, final: false }]);
  const ends = timelineEntries(session, "end").flatMap(({ at, text }) =>
    text === undefined ? [] : [{ at, text, final: true }]
  );
  const [end] = ends;
  return end === undefined ? turns : [...turns.filter(({ text }) => text !== end.text), end];
}

function missed({ pattern, flags }: Expected, texts: readonly Said[], among: readonly Said[]): Judgement {
  const [nearest] = among;
  const shown = shownPattern(pattern, flags);
  if (nearest === undefined) {
    return { pass: false, actual: null, reason: `expected ${shown}: the agent said nothing` };
  }
  const earlier = texts.find((each) =>
    !among.includes(each) && patternMiss("it", each.text, pattern, flags) === undefined
  );
  const note = earlier === undefined
    ? ""
    : `; an earlier text matches, which counts with "of: all": ${textExcerpt(earlier.text, 100)}`;
  return {
    pass: false,
    actual: { matched_text: null, context: oneLine(among.at(-1)!.text, 300) },
    reason: `${patternMiss("the output", among.at(-1)!.text, pattern, flags)}${note}`,
  };
}
