/** Fixes as structured answers have them. */
import * as z from "zod";

export const changeFigures = { added: z.number(), removed: z.number() };

/** Lines are absent for binary files. */
export const changedFileSchema = z.object({
  path: z.string(),
  from: z.string().exactOptional().describe("Earlier name."),
  added: z.number().exactOptional(),
  removed: z.number().exactOptional(),
});

const names = z.array(z.string());

/** A commit on the session branch. */
export const fixRecord = z.object({
  commit: z.string(),
  type: z.string().describe("fix, revert, docs, tests, state-checkpoint, report; other: not made by PTH."),
  title: z.string(),
  body: z.string(),
  tests: names,
  category: z.string().exactOptional(),
  files: names,
  changed: z.object(changeFigures).exactOptional(),
  iteration: z.number().exactOptional(),
  distro: z.string().exactOptional(),
  at: z.string().describe("ISO time."),
  revertedBy: z.string().exactOptional(),
  reverts: z.string().exactOptional(),
});

export const reloadReport = z.object({
  tools: z.object({ added: names, removed: names, changed: names, total: z.number() }),
  build: z.object({ durationMs: z.number() }).exactOptional(),
  closed: z.array(z.object({ how: z.string(), orphans: names })),
  contract: z.object({ breaking: z.number(), tools: z.number() }).exactOptional(),
});

export const fixPatterns = z.object({
  oscillating: z.array(z.object({ test: z.string(), commits: names }))
    .describe("Tests that were fixed and broke again."),
  repeated: z.array(z.object({ file: z.string(), commits: names }))
    .describe("Fixes that make a change that was made before."),
});

const state = z.object({ commit: z.string(), title: z.string() });

/** Result of the search for the fix that broke a test. */
export const bisectionSchema = {
  test: z.string(),
  culprits: z.array(fixRecord).describe("Fails from here on; several where those between were not judged."),
  tried: z.array(state.extend({ passed: z.boolean().exactOptional(), says: z.string() })),
  passesNow: z.boolean(),
  brokenBefore: z.boolean().describe("It failed before the first fix, too."),
  lastGood: state.exactOptional(),
  untested: z.array(state),
};
