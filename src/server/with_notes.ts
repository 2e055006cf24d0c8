/** Adds to an answer what the session noted during the call: a model hears of nothing but answers. */
import type { Harness } from "../api/harness.ts";
import type { ToolAnswer } from "../tools/tool.ts";
import { joinLines } from "../tools/text/format.ts";

/** Notes beyond these are counted. */
const mostNotes = 10;

/** The answer, with the notes that it does not tell itself. */
export async function withNotes(
  harness: Pick<Harness, "on">,
  work: () => Promise<ToolAnswer>,
): Promise<ToolAnswer> {
  const noted = new Set<string>();
  const stop = harness.on((fact) => {
    if (fact.type === "session.noted") noted.add(fact.mcp ?? fact.message);
  });
  try {
    const answer = await work();
    const untold = [...noted].filter((note) => !answer.text.includes(note));
    const left = untold.length - mostNotes;
    return {
      ...answer,
      text: joinLines(
        answer.text,
        ...untold.slice(0, mostNotes).map((note) => `Note: ${note}`),
        left > 0 && `… ${left} more notes`,
      ),
    };
  } finally {
    stop();
  }
}
