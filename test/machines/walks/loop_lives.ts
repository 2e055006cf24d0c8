/** Lives of the loop and of matrix runs, which rest between requests and never end. */
import type { AnyActorRef, AnyEventObject, AnyStateMachine } from "xstate";
import { iterationFake, matrixFake, someOutcome, standing, tested } from "./fakes.ts";
import { Ledger } from "./ledger.ts";
import { type Begin, describe, parentOf } from "./run_walk.ts";
import type { Random } from "./random.ts";
import type { World } from "./world.ts";

interface Asked {
  type: string;
  id?: string;
  requestId: string;
  replyTo: AnyActorRef;
}

const someError = (random: Random) =>
  Object.assign(new Error("no"), random.chance(0.5) ? { code: "EDIT_FAILED" } : {});
const someResult = (random: Random) => ({
  fix: { commit: "c", title: "t", files: [] },
  ...someOutcome(random),
});

/** @param ask An event that asks for a run, and may be sent now */
function resting(
  world: World,
  machine: AnyStateMachine,
  { name, input, ask }: { name: string; input?: unknown; ask: (subject: AnyActorRef) => AnyEventObject },
): Begin {
  return () => {
    const ledger = new Ledger();
    let runs = 0;
    let ended = false;
    let step: Asked | undefined;
    const { root, subject } = parentOf(world, machine, {
      input: () => input,
      hear: (event) => {
        const { type } = event;
        if (type.startsWith("session.")) return hearStep(event as unknown as Asked);
        if (type === `${name}.ended` || type === `${name}.failed`) ledger.answered(`run ${runs}`, type);
      },
    });
    const hearStep = (event: Asked) => {
      if (event.type === "session.expect_answer") return;
      if (event.type !== "session.cancel_request") {
        if (step !== undefined && step.replyTo.getSnapshot().status === "active") {
          ledger.wrong(`${event.type} was asked for beside ${step.type}`);
        }
        step = event;
      } else if (step?.requestId !== event.id) ledger.wrong("a step that is over was cancelled");
    };
    /** A step is answered when the walk says so; its answer may come after the machine has gone on. */
    const answer = (fails: number) => {
      if (step === undefined) return false;
      const { requestId, replyTo } = step;
      step = undefined;
      if (replyTo.getSnapshot().status !== "active") return false;
      world.journal.push(`answer ${describe(subject())}`);
      replyTo.send(
        world.random.chance(fails)
          ? { type: "request.failed", requestId, error: someError(world.random) }
          : { type: "request.completed", requestId, result: someResult(world.random) },
      );
      return true;
    };
    const send = (event: AnyEventObject) => {
      world.journal.push(event.type);
      subject().send(event);
    };
    const cancel = () => send({ type: `${name}.cancel` });
    return {
      root,
      act() {
        if (world.random.chance(0.1)) return cancel();
        if (world.random.chance(0.8) && answer(0.2)) return;
        // The session lets one request in at a time.
        if (ledger.open.length > 0) return;
        const event = ask(subject());
        if (!(subject().getSnapshot() as { can(event: AnyEventObject): boolean }).can(event)) return;
        ledger.asked(`run ${++runs}`, describe(subject()));
        send(event);
      },
      end() {
        ended = true;
        answer(0);
        cancel();
      },
      isOver: () => ended && ledger.open.length === 0,
      faults: () => ledger.faults(),
      remaining: () => [subject()],
    };
  };
}

export const iterationLife = (world: World): Begin =>
  resting(world, iterationFake(world), {
    name: "iteration",
    input: { records: [], last: 0 },
    ask: () => {
      const { random } = world;
      const run = random.pick<object>([
        {},
        { maxIterations: 3, fixer: "mend" },
        { scope: "failing" },
        { fixes: [{}] },
        { maxIterations: 4, fixer: "mend", scope: "failing" },
      ]);
      return {
        type: "iteration.run",
        run,
        ...random.chance(0.3)
          ? tested(standing())
          : random.chance(0.5)
          ? tested(standing("a"))
          : { standing: { total: 0, passed: 0, skipped: 0, failing: [] }, statuses: {} },
        caller: "1",
      };
    },
  });

export const matrixLife = (world: World): Begin =>
  resting(world, matrixFake(world), {
    name: "matrix",
    ask: (subject) => {
      const { random } = world;
      const entry = (distro: string) => ({ name: distro, distro });
      if (describe(subject) === '"awaitingFixes"' && random.chance(0.8)) {
        return {
          type: "matrix.answer",
          answer: random.chance(0.5) ? { skip: true } : { fixes: [] },
          caller: "1",
        };
      }
      return {
        type: "matrix.run",
        run: {
          primary: entry("a"),
          others: [entry("b"), entry("c")].slice(random.below(3)),
          run: random.chance(0.5) ? { fixer: "mend" } : {},
          primaryFirst: random.chance(0.5),
        },
        caller: "1",
      };
    },
  });
