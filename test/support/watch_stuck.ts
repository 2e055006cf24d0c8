import {
  type ActorOptions,
  type AnyActorLogic,
  type AnyEventObject,
  createActor,
  createMachine,
} from "xstate";
import { stuckDetectorMachine } from "../../machines/mod.ts";
import type { RunnerThreads, StuckFact } from "../../machines/model/stuck.ts";
import { stuckDetectorActors } from "../../src/actors/project_tests/stuck_detector_actors.ts";
import type { SamplerAccess } from "../../src/stuck/sampler_access.ts";
import type { WatchedCommand } from "../../src/stuck/stacks/stack_way.ts";
import { hostAccess } from "./host_access.ts";

export interface WatchedProcess {
  facts: StuckFact[];
  /** Resolves with the first fact of that kind, or undefined after so many ms. */
  first(type: StuckFact["type"], withinMs: number): Promise<StuckFact | undefined>;
  stop(): Promise<void>;
}

interface WatchOptions {
  budgetMs?: number;
  runner?: RunnerThreads;
  command?: WatchedCommand;
  access?: SamplerAccess;
  /** Clock of the detector, where it is another. */
  clock?: ActorOptions<AnyActorLogic>["clock"];
}

/** Watches a process tree of the host by the real detector. */
export function watchStuck(
  pid: number,
  { budgetMs = 120_000, runner, command, access = hostAccess, clock }: WatchOptions = {},
): WatchedProcess {
  const facts: StuckFact[] = [];
  const work: Promise<unknown>[] = [];
  const waiting = new Set<() => void>();
  const detector = stuckDetectorMachine.provide({
    actors: stuckDetectorActors(() => ({
      access,
      track: (each) => void work.push(each),
      commandOf: () => command,
    })),
  });
  const input = { pid, deadlineAt: Date.now() + budgetMs, ...(runner === undefined ? {} : { runner }) };
  const parent = createActor(
    createMachine({
      invoke: { src: detector, input },
      on: {
        "*": {
          actions: ({ event }: { event: AnyEventObject }) => {
            if (event.type.startsWith("stuck.")) facts.push(event as never);
            for (const look of waiting) look();
          },
        },
      },
    }),
    clock === undefined ? {} : { clock },
  );
  parent.start();
  return {
    facts,
    first(type, withinMs) {
      return new Promise((resolve) => {
        const end = (fact: StuckFact | undefined) => {
          waiting.delete(look);
          clearTimeout(timer);
          resolve(fact);
        };
        const look = () => {
          const fact = facts.find((each) => each.type === type);
          if (fact !== undefined) end(fact);
        };
        const timer = setTimeout(() => end(undefined), withinMs);
        waiting.add(look);
        look();
      });
    },
    async stop() {
      parent.stop();
      await Promise.all(work);
    },
  };
}
