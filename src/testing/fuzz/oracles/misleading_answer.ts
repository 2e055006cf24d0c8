/** An error without `isError`, a success with it, or a placeholder in place of a value; once for each tool and kind. */
import { misleadingFinding, misleadingKind } from "../../judge/misleading_kind.ts";
import { defineOracle } from "../oracle.ts";

export default defineOracle({
  name: "misleading_answer",
  summary: "an error told as success, a success told as error, or `undefined` where a value belongs",
  severity: "finding",
  judge({ outcome, input, valid, tool, placeholders }) {
    if (outcome === undefined) return undefined;
    const call = { outcome, input, definition: tool };
    const kind = misleadingKind(call);
    // What an invalid input leads to may well miss values.
    if (kind === undefined || (!valid && kind === "value-missing-in-answer")) return undefined;
    // What an earlier call stored is shown by a later one.
    const brought = [...placeholders ?? []].some((word) => outcome.text.includes(word));
    if (kind === "value-missing-in-answer" && brought) return undefined;
    return { signature: kind, message: misleadingFinding(kind, tool.name, call).message };
  },
});
