import t from "tap";
import type { PublishedEvent } from "../../../src/api/harness.ts";
import { withNotes } from "../../../src/server/answer_tool_call.ts";

/** A harness of which only the notes are heard. */
function noting() {
  const listeners = new Set<(fact: PublishedEvent) => void>();
  return {
    listeners,
    on(listener: (fact: PublishedEvent) => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    note: (message: string, mcp?: string) =>
      listeners.forEach((listener) =>
        listener({ type: "session.noted", message, ...(mcp === undefined ? {} : { mcp }) })
      ),
  };
}

t.test("what is noted during a call is told with its answer, once", async (t) => {
  const harness = noting();
  const { text } = await withNotes(harness, () => {
    harness.note("told by the answer itself");
    harness.note("twice");
    harness.note("twice");
    return Promise.resolve({ text: "Done: told by the answer itself", data: {} });
  });
  t.equal(
    text,
    "Done: told by the answer itself\nNote: twice",
  );
  t.equal(harness.listeners.size, 0);
});

t.test("a note with words for each face is told in those for MCP", async (t) => {
  const harness = noting();
  const { text } = await withNotes(harness, () => {
    harness.note("To move there: --env-tier 2.", "To move there: pth_reprovision_environment({ tier: 2 }).");
    return Promise.resolve({ text: "Done", data: {} });
  });
  t.equal(text, "Done\nNote: To move there: pth_reprovision_environment({ tier: 2 }).");
});

t.test("a flood of notes is counted, and nothing listens after a call that fails", async (t) => {
  const harness = noting();
  const { text } = await withNotes(harness, () => {
    for (let at = 0; at < 50; at++) harness.note(`note ${at}`);
    return Promise.resolve({ text: "Done", data: {} });
  });
  t.match(text, /note 9\n… 40 more notes$/);
  await t.rejects(withNotes(harness, () => Promise.reject(new Error("no"))));
  t.equal(harness.listeners.size, 0);
});
