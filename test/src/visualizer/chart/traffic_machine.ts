/** A machine with one of everything that a chart can show. */
import {
  and,
  assign,
  cancel,
  emit,
  enqueueActions,
  fromPromise,
  not,
  or,
  raise,
  sendTo,
  setup,
  stopChild,
} from "xstate";
import { parentRef } from "../../../../machines/parent_ref.ts";

export const trafficMachine = setup({
  types: { context: {} as { cars: number; light: string | undefined } },
  actors: { warmUp: fromPromise(() => Promise.resolve(1)) },
  delays: { patience: 1000 },
  actions: { count: () => {}, note: (_, _params: { part: string }) => {} },
  guards: { isNight: () => false, isBusy: () => false },
}).createMachine({
  id: "traffic",
  description: "A crossing <with> lights.",
  context: { cars: 0, light: undefined },
  initial: "starting",
  on: { "power.cut": { target: ".dark", actions: "count" }, "car.came": { actions: assign({ cars: 1 }) } },
  states: {
    starting: {
      invoke: {
        src: "warmUp",
        onDone: "running",
        onError: { target: "dark", actions: raise({ type: "alarm" }) },
      },
      after: { patience: "dark", 2500: "running" },
    },
    running: {
      type: "parallel",
      onDone: "dark",
      states: {
        cars: {
          initial: "green",
          states: {
            green: {
              entry: [
                { type: "note", params: { part: "green" } },
                sendTo(parentRef, { type: "light.changed" }),
              ],
              exit: [stopChild("camera"), cancel("timer")],
              on: {
                "light.change": [
                  { guard: and(["isNight", not("isBusy")]), target: "red" },
                  { guard: ({ context }) => context.cars > 3, target: "red", actions: emit({ type: "jam" }) },
                  { guard: or(["isNight", "isBusy"]), actions: "count" },
                ],
                "light.again": { target: "green", reenter: true },
              },
            },
            red: {
              always: { guard: "isNight", target: "#traffic.dark" },
              on: {
                "light.change": {
                  target: "green",
                  actions: enqueueActions(({ enqueue }) => {
                    enqueue("count");
                    enqueue.sendTo(parentRef, { type: "light.changed" });
                  }),
                },
                "*": { actions: () => {} },
              },
            },
          },
        },
        people: {
          initial: "waiting",
          states: { waiting: { on: { walk: "gone" } }, gone: { type: "final" } },
        },
      },
    },
    dark: { type: "final" },
  },
});
