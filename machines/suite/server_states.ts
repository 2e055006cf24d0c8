/** States of a running suite by its servers: it begins with the one that is there. */
import type { RunRules } from "../model/observation.ts";
import { type PaceSample, sampleMs } from "./pace.ts";

const measured = ({ event }: { event: { output: PaceSample } }) => event.output;

export const serverStates = {
  initial: "fewServers",
  states: {
    /** One more is started once it saves more time than its start takes. */
    fewServers: {
      always: { guard: "isWide", target: "allServers" },
      invoke: {
        src: "measurePace",
        input: ({ context: { rules } }: { context: { rules: RunRules } }) => ({ ms: sampleMs(rules) }),
        onDone: [
          {
            guard: { type: "savesTime", params: measured },
            target: "startingServers",
            actions: [{ type: "widen", params: measured }, "startTests"],
          },
          { target: "fewServers", reenter: true, actions: { type: "notePace", params: measured } },
        ],
        onError: { target: "allServers", actions: ["widenFully", "startTests"] },
      },
    },
    /** The pace shows nothing of the new servers yet. */
    startingServers: { after: { serverStart: { target: "fewServers", actions: "beginPace" } } },
    allServers: {},
  },
} as const;
