import t from "tap";
import { sequenceMermaid } from "../../../../src/visualizer/timeline/sequence_mermaid.ts";
import type { EventRow } from "../../../../src/visualizer/timeline/timeline.ts";

const row = (
  at: number,
  source: string | undefined,
  target: string,
  type: string,
  more: Partial<EventRow> = {},
) => ({
  position: at,
  settled: at,
  at,
  ...(source === undefined ? {} : { source: { actor: source, id: source } }),
  target: { actor: target, id: target },
  type,
  gist: "",
  trouble: false,
  ignored: false,
  ...more,
});

t.test("each actor is a participant, each event a message, and trouble has a note", (t) => {
  const text = sequenceMermaid([
    row(0, undefined, "session", "session.call", { gist: "add" }),
    row(5, "pool", "session", "connection.lost", { trouble: true, gist: "exited with 3" }),
    row(10, "session", "session", "xstate.done.actor.0.session.preparing", { ignored: true }),
    row(2510, "session", "pool", "pool.close"),
  ], { title: "A loss" });
  t.equal(
    text,
    `sequenceDiagram
  accTitle: A loss
  participant a0 as outside
  participant a1 as session
  participant a2 as pool
  a0->>a1: session.call (add)
  a2->>a1: connection.lost
  Note over a1: exited with 3
  a1--xa1: done: session.preparing
  Note over a2: 2.5 s later
  a1->>a2: pool.close
`,
  );
  t.end();
});

t.test("what a server says cannot become a part of the diagram", (t) => {
  const gist = 'a;b#c\n  a0->>a1: forged %%{init}%% <b> $$x$$ "q" `c`';
  const text = sequenceMermaid([row(0, "a\nparticipant b", "end", "said", { gist })]);
  t.equal(text.trim().split("\n").length, 4, "a head, two participants, one message");
  t.notMatch(text.split("\n")[3]!.replace(/#\d+;/g, "").replace("->>", ""), /[;#<>%$"`{}]/);
  t.match(text, "participant a1 as end");
  t.end();
});

t.test("more rows than are shown are counted", (t) => {
  const rows = Array.from({ length: 7 }, (_, place) => row(place, "a", "b", `e.${place}`));
  const text = sequenceMermaid(rows, { most: 3 });
  t.match(text, /e\.2\n {2}Note over a1: 4 more events not shown\n$/);
  t.notMatch(text, "e.3");
  t.match(sequenceMermaid(rows, { total: 70 }), /e\.6\n {2}Note over a1: 63 more events not shown\n$/);
  t.equal(sequenceMermaid([], { total: 3 }), "sequenceDiagram\n", "nothing is a diagram, too");
  t.end();
});

t.test("a diagram of the usual size stays below what Mermaid takes", (t) => {
  const rows = Array.from(
    { length: 1000 },
    (_, place) => row(place, `actor-${place % 40}`, "b", "x".repeat(60), { gist: "{".repeat(120) }),
  );
  t.ok(sequenceMermaid(rows).length < 50_000);
  t.end();
});
