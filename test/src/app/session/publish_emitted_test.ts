import t from "tap";
import { createActor, emit, setup } from "xstate";
import { publishEmitted } from "../../../../src/app/session/publish_emitted.ts";
import type { SessionActor } from "../../../../src/app/send_request.ts";
import type { PublishedEvent } from "../../../../src/api/harness.ts";

t.test("phases that machines emit are published as they are, and nothing of the inside", (t) => {
  const actor = createActor(
    setup({}).createMachine({ on: { "*": { actions: emit(({ event }) => event) } } }),
  );
  const heard: PublishedEvent[] = [];
  publishEmitted(actor as unknown as SessionActor, (event) => heard.push(event));
  actor.start();
  const phases = [
    { type: "iteration.phase", iteration: 2, phase: "fixing" },
    { type: "matrix.phase", entry: "debian13", phase: "verifying" },
  ];
  for (const event of [phases[0]!, { type: "request.completed", requestId: "1" }, phases[1]!]) {
    actor.send(event);
  }
  t.same(heard, phases);
  actor.stop();
  t.end();
});
