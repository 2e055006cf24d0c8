/** Lives of what plays a model and runs agents. */
import { playbookMachine } from "../../../machines/mod.ts";
import { Ledger } from "./ledger.ts";
import { type Begin, parentOf } from "./run_walk.ts";
import type { World } from "./world.ts";

const rule = { prompt: "x" };

const lanes = [
  {
    name: "main",
    turns: [
      { text: "a" },
      { text: "b", when: rule },
      { text: "c", match: rule },
      { text: "d", repeat: { until: rule, at_most: 3 } },
      ...Array.from({ length: 30 }, () => ({ text: "e" })),
    ],
  },
  { name: "first", subagent: 1, turns: [{ text: "a" }] },
  { name: "typed", subagent: "t", turns: [{ text: "a" }, { text: "b" }] },
  { name: "title", side: "title" as const, turns: [{ text: "a" }] },
];
const conditions = ["0.1.when", "0.2.match", "0.3.until"];

/** Every request is answered once, and at once; what is left is reported at the end. */
export const playbookLife = (world: World): Begin => () => {
  const { random } = world;
  const ledger = new Ledger();
  let requests = 0;
  const { root, subject } = parentOf(world, playbookMachine, {
    input: () => ({ playbook: { lanes } }),
    hear: ({ type, ...fact }) => {
      if (type === "playbook.ended") ledger.answered("end", type);
      else ledger.answered(fact["requestId"] ?? fact["chosen"].requestId, type);
    },
  });
  ledger.asked("end", "its start");
  const isOver = () => subject().getSnapshot().status !== "active";
  const request = () => ({
    requestId: String(++requests),
    lanes: [],
    holds: conditions.filter(() => random.chance(0.5)),
    summary: "a request",
    ...(random.chance(0.1) ? { agent: random.pick(["x", "y"]), opening: "find hats" } : {}),
    ...(random.chance(0.1) ? { side: random.pick(["title", "summary"]) } : {}),
  });
  const events = [
    () => ({ type: "playbook.spawned", spawn: { type: "t", prompt: "hats" } }),
    () => ({ type: "playbook.contradicted", message: "no" }),
    () => ({ type: random.chance(0.05) ? "playbook.broke" : "playbook.contradicted", message: "no" }),
  ];
  return {
    root,
    act() {
      if (isOver()) return;
      if (random.chance(0.3)) return subject().send(random.pick(events)());
      const asked = request();
      ledger.asked(asked.requestId, "any");
      subject().send({ type: "playbook.requested", request: asked });
      if (ledger.open.includes(asked.requestId)) ledger.wrong(`${asked.requestId} waits`);
    },
    end() {
      if (!isOver()) subject().send({ type: "playbook.end" });
    },
    isOver,
    faults: () => ledger.faults(),
  };
};
