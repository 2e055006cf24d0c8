/** Lives of what samples process trees: the stuck detector, which tells what is certain once, and one inspection. */
import { type AnyActorRef, type AnyEventObject, fromCallback } from "xstate";
import * as machines from "../../../machines/mod.ts";
import type { StuckDetectorInput } from "../../../machines/stuck_detector_machine.ts";
import type { StuckJudgement } from "../../../machines/model/stuck.ts";
import { hangInspectionFake } from "./fakes.ts";
import { type Begin, parentOf } from "./run_walk.ts";
import type { Random } from "./random.ts";
import type { World } from "./world.ts";

const judgements = (random: Random): StuckJudgement =>
  random.pick<StuckJudgement>([
    { kind: "working" },
    { kind: "waiting", for: "timer", detail: "t" },
    { kind: "deadlock", certain: true, threads: [1], cycle: [1], detail: "d" },
    { kind: "deadlock", certain: false, threads: [1], cycle: [], detail: "d" },
    { kind: "infinite_loop", certain: false, threads: [1], alone: random.chance(0.5), detail: "l" },
    { kind: "beyond_timeout", certain: true, threads: [1], wakesInMs: 1, detail: "b" },
    ...(random.chance(0.1) ? [{ kind: "gone" } as const] : []),
  ]);

export const stuckDetectorLife = (world: World): Begin => {
  const machine = machines.stuckDetectorMachine.provide({
    actors: {
      captureStacks: world.slot("capture stacks", (_input, random) => ({
        threads: [],
        method: "m",
        notes: [],
        ...(random.chance(0.2) ? { cycle: ["a"] } : {}),
      }), { hangs: 0.1 }),
      proveLoop: world.slot("prove loop", (_input, random) => ({ proven: random.chance(0.3), detail: "p" }), {
        hangs: 0.1,
      }),
      sample: fromCallback<AnyEventObject, StuckDetectorInput>(({ sendBack, receive }) => {
        let last: StuckJudgement = { kind: "working" };
        receive(({ number }) => {
          const { random } = world;
          if (random.chance(0.02)) return sendBack({ type: "sampler.failed", reason: "r" });
          // Most samples say what the one before said, and some never come.
          if (random.chance(0.4)) last = judgements(random);
          if (!random.chance(0.02)) {
            sendBack({
              type: "sample.taken",
              number,
              judgement: last,
              costMs: 1,
              at: number,
              spentMs: 1,
              aliveMs: 1,
            });
          }
        });
      }),
    },
  });
  return () => {
    const faults: string[] = [];
    let over = false;
    let suspected = false;
    const { root, subject } = parentOf(world, machine, {
      input: () => ({ pid: 1, deadlineAt: 1 }),
      hear: ({ type, stacks, figures }: AnyEventObject) => {
        if (over) faults.push(`${type} was told after its end`);
        if (type === "stuck.certain" && stacks === undefined) faults.push("certain without stacks");
        if (
          type === "stuck.certain" &&
          !(figures.provenAfterMs >= 0 && figures.verdictAfterMs >= figures.provenAfterMs)
        ) faults.push("certain before it was seen");
        if (type === "stuck.suspected" && suspected) faults.push("suspected twice");
        if (type === "stuck.cleared" && !suspected) faults.push("cleared what was not suspected");
        suspected = type === "stuck.suspected" || (suspected && type !== "stuck.cleared");
        over = type === "stuck.certain" || type === "stuck.not_watched";
      },
    });
    const isDone = (actor: AnyActorRef) => actor.getSnapshot().status !== "active";
    const send = (event: AnyEventObject) => {
      world.journal.push(event.type);
      subject().send(event);
    };
    return {
      root,
      act() {
        if (isDone(subject())) return;
        if (world.random.chance(0.2)) send({ type: "output" });
        else if (world.random.chance(0.02)) send({ type: "watch.end" });
        else world.tick(500);
      },
      end() {
        if (!isDone(subject())) send({ type: "watch.end" });
      },
      isOver: () => isDone(subject()),
      faults: () => faults,
    };
  };
};

/** Whatever samples say, it has told something from its start on, nothing behind its end, and ends by its limit. */
export const hangInspectionLife = (world: World): Begin => {
  const machine = hangInspectionFake(world);
  return () => {
    const told: string[] = [];
    const faults: string[] = [];
    const isDone = () => subject().getSnapshot().status !== "active";
    const { root, subject } = parentOf(world, machine, {
      input: () => ({ of: { connectionId: "c" }, leftMs: 2000 }),
      hear: ({ type, inspection }: AnyEventObject) => {
        if (type !== "hang.inspected") faults.push(`${type} was told`);
        told.push(inspection.kind);
      },
    });
    return {
      root,
      act: () => world.tick(200),
      end: () => world.tick(2000),
      isOver: isDone,
      faults: () => [...faults, ...(told[0] === "not_inspected" ? [] : ["nothing was told at its start"])],
    };
  };
};
