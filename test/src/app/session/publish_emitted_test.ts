import t from "tap";
import { createActor, emit, setup } from "xstate";
import { publishEmitted } from "../../../../src/app/session/publish_emitted.ts";
import type { SessionActor } from "../../../../src/app/send_request.ts";
import type { PublishedEvent } from "../../../../src/api/harness.ts";

t.test("facts that machines emit for the outside are published as they are, and nothing of the inside", (t) => {
  const actor = createActor(
    setup({}).createMachine({ on: { "*": { actions: emit(({ event }) => event) } } }),
  );
  const heard: PublishedEvent[] = [];
  publishEmitted(actor as unknown as SessionActor, (event) => heard.push(event));
  actor.start();
  const facts = [
    { type: "plugin.loaded", plugin: { tools: [] } },
    { type: "iteration.phase", iteration: 2, phase: "fixing" },
    { type: "matrix.phase", entry: "debian13", phase: "verifying" },
  ];
  const inside = { type: "request.completed", requestId: "1" };
  for (const event of facts.flatMap((fact) => [fact, inside])) actor.send(event);
  t.same(heard, facts);
  actor.stop();
  t.end();
});
