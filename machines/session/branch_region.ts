/** Region `open.branch` of the session: work on its git branch, one piece after the other. */
import { sessionSetup, workActor } from "./session_setup.ts";

const goOn = [
  { guard: "moreWaits", target: "working", reenter: true, actions: "endWork" },
  { target: "idle", actions: "endWork" },
] as const;

const idle = sessionSetup.createStateConfig({
  on: { "session.work": { guard: "suiteIdle", target: "working", actions: "queueWork" } },
});

/** An actor of the work under way, and what waits for its turn. */
const working = sessionSetup.createStateConfig({
  invoke: {
    id: workActor,
    src: "work",
    input: ({ context: { works: [work] } }) => work!,
    onError: goOn,
  },
  on: {
    "session.work": { guard: "suiteIdle", actions: "queueWork" },
    "session.cancel_work": { actions: "cancelWork" },
    "work.*": goOn,
  },
});

export const branchRegion = sessionSetup.createStateConfig({ initial: "idle", states: { idle, working } });
