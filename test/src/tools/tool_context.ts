import type { Harness } from "../../../src/api/harness.ts";
import type { ToolContext } from "../../../src/tools/tool.ts";

/** Serves tools whose answers have no second page, and that nobody asks for an earlier answer. */
export const toolContext = (harness: Harness): ToolContext => ({
  harness,
  signal: new AbortController().signal,
  progress: () => {},
  nextPage: (cursor) => Promise.reject(new Error(`no page ${cursor}`)),
  answerOf: (call) => Promise.reject(new Error(`no call ${call}`)),
});
