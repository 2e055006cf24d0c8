/** Region `open.stop` of the session: the end of whatever runs tests, before the session itself ends. */
import { sessionSetup } from "./session_setup.ts";

const stop = [{ type: "accept", params: { part: "stop" } }, "cancelAll"] as const;

export const stopRegion = sessionSetup.createStateConfig({
  initial: "idle",
  states: {
    idle: { on: { "session.stop_work": { target: "waiting", actions: stop } } },
    waiting: {
      always: { guard: "hasStopped", target: "idle", actions: { type: "answer", params: { part: "stop" } } },
      on: { "session.stop_work": { actions: stop } },
    },
  },
});
