/** Lives of the loop and of matrix runs, which rest between requests and never end. */
import type { AnyActorRef, AnyEventObject, AnyStateMachine } from "xstate";
import { iterationFake, matrixFake, standing, tested } from "./fakes.ts";
import { Ledger } from "./ledger.ts";
import { type Begin, describe, parentOf } from "./run_walk.ts";
import type { World } from "./world.ts";

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
    const { root, subject } = parentOf(world, machine, {
      input: () => input,
      hear: ({ type }) => {
        if (type !== `${name}.phase`) ledger.answered(`run ${runs}`, type);
      },
    });
    const send = (event: AnyEventObject) => {
      world.journal.push(event.type);
      subject().send(event);
    };
    const cancel = () => send({ type: `${name}.cancel` });
    return {
      root,
      act() {
        if (world.random.chance(0.15)) return cancel();
        // The session lets one request in at a time.
        if (ledger.open.length > 0) return;
        const event = ask(subject());
        if (!(subject().getSnapshot() as { can(event: AnyEventObject): boolean }).can(event)) return;
        ledger.asked(`run ${++runs}`, describe(subject()));
        send(event);
      },
      end() {
        ended = true;
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
        return { type: "matrix.answer", answer: random.chance(0.5) ? { skip: true } : { fixes: [] } };
      }
      return {
        type: "matrix.run",
        run: {
          primary: entry("a"),
          others: [entry("b"), entry("c")].slice(random.below(3)),
          run: random.chance(0.5) ? { fixer: "mend" } : {},
          primaryFirst: random.chance(0.5),
        },
      };
    },
  });
