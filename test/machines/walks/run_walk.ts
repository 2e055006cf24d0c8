/** Walks a machine at random, life after life, and tells what did not hold. */
import {
  type AnyActorRef,
  type AnyEventObject,
  type AnyStateMachine,
  createActor,
  createMachine,
} from "xstate";
import { World } from "./world.ts";

/** One run of a machine, from its start to its end. */
export interface Life {
  /** Does something that the outside may do now. */
  act(): void;
  /** Asks for the end; asked again while it is not over. */
  end(): void;
  isOver(): boolean;
  /** What did not hold, once it is over. */
  faults(): string[];
  /** Actors that may outlive it: of a machine without an end, the machine itself. */
  remaining?(): AnyActorRef[];
  root: AnyActorRef;
}

export type Begin = (world: World) => Life;

export interface Fault {
  /** With which the life can be walked again, alone. */
  seed: number;
  fault: string;
  journal: string[];
}

export interface WalkReport {
  events: number;
  lives: number;
  faults: Fault[];
}

const eventsOfLife = 60;
/** Rounds in which a life must come to its end, each with all work done and ten minutes gone. */
const lastRounds = 60;
/** Pieces of work in such a round; work without end is a fault. */
const mostWork = 1000;

/**
 * Walks so many events, in lives that each begin anew.
 * @param make Makes the machines once, and begins a life each time
 */
export function runWalk(
  make: (world: World) => Begin,
  { seed, events }: { seed: number; events: number },
): WalkReport {
  const world = new World(seed);
  const begin = make(world);
  const report: WalkReport = { events: 0, lives: 0, faults: [] };
  for (let lifeSeed = seed; report.events < events; lifeSeed++) {
    const { steps, faults } = liveOnce(world, begin, lifeSeed);
    report.events += Math.max(1, steps);
    report.lives++;
    const journal = world.journal.slice(-40);
    report.faults.push(...faults.map((fault) => ({ seed: lifeSeed, fault, journal })));
    if (report.faults.length > 20) break;
  }
  return report;
}

function liveOnce(world: World, begin: Begin, seed: number): { steps: number; faults: string[] } {
  world.restart(seed);
  const thrown: string[] = [];
  let steps = 0;
  const life = begin(world);
  life.root.subscribe({ error: (error) => void thrown.push(`it died: ${String(error)}`) });
  life.root.start();
  const attempt = (step: () => void) => {
    steps++;
    try {
      step();
    } catch (error) {
      thrown.push(`it threw: ${error instanceof Error ? error.stack : String(error)}`);
    }
  };
  while (steps < eventsOfLife && !life.isOver() && thrown.length === 0) attempt(() => step(world, life));
  world.calm = true;
  for (let round = 0; round < lastRounds && !life.isOver() && thrown.length === 0; round++) {
    attempt(() => life.end());
    for (let more = mostWork; more > 0 && thrown.length === 0 && world.settleOne(); more--) steps++;
    attempt(() => world.tick(600_000));
  }
  const over = life.isOver()
    ? []
    : [`it does not end: ${world.living().map((actor) => `${actor.id} ${describe(actor)}`).join(", ")}`];
  const faults = [...thrown, ...over, ...life.faults(), ...(over.length > 0 ? [] : leftovers(world, life))];
  life.root.stop();
  return { steps, faults };
}

function step(world: World, life: Life): void {
  const { random } = world;
  const lot = random.next();
  if (lot < 0.45) life.act();
  else if (lot < 0.9) world.settleOne() || life.act();
  else world.tick(random.pick([1, 10, 100, 1000, 5000, 40_000, 130_000]));
}

/** Actors and timers that outlive the end. */
function leftovers(world: World, life: Life): string[] {
  const remaining = new Set<AnyActorRef>([life.root, ...life.remaining?.() ?? []]);
  const living = world.living().filter((actor) => !remaining.has(actor));
  const system = life.root.system as unknown as { getSnapshot(): { _scheduledEvents: object } };
  const timers = Object.keys(system.getSnapshot()._scheduledEvents);
  return [
    ...living.map((actor) => `${actor.id} still lives: ${describe(actor)}`),
    ...timers.map((id) => `a timer still runs: ${id}`),
  ];
}

export const describe = (actor: AnyActorRef): string => {
  const { status, value } = actor.getSnapshot() as { status: string; value?: unknown };
  return JSON.stringify(value ?? status);
};

/**
 * Stands where a machine's parent stands: starts it as a child and hears its facts.
 * @param others Children beside it, made before, by the name under which its input gets them
 */
export function parentOf(
  world: World,
  machine: AnyStateMachine,
  options: {
    input?: (others: Record<string, AnyActorRef>) => unknown;
    others?: Record<string, { machine: AnyStateMachine; input?: unknown }>;
    hear: (fact: AnyEventObject) => void;
  },
): { root: AnyActorRef; subject: () => AnyActorRef; other: (name: string) => AnyActorRef } {
  const root = createActor(
    createMachine({
      types: {} as { context: { children: Record<string, AnyActorRef> } },
      context: ({ spawn }) => {
        const others = Object.fromEntries(
          Object.entries(options.others ?? {}).map((
            [id, { machine, input }],
          ) => [id, spawn(machine, { id, input: input as never }) as AnyActorRef]),
        );
        const subject = spawn(machine, { id: "subject", input: options.input?.(others) as never });
        return { children: { ...others, subject: subject as AnyActorRef } };
      },
      on: { "*": { actions: ({ event }) => hear(event) } },
    }),
    { clock: world.clock, inspect: world.inspect },
  );
  const hear = (event: AnyEventObject) => {
    if (event.type.startsWith("xstate.error.actor.")) {
      throw (event as unknown as { error: unknown }).error;
    }
    if (!event.type.startsWith("xstate.")) options.hear(event);
  };
  const other = (name: string) =>
    (root.getSnapshot() as unknown as { context: { children: Record<string, AnyActorRef> } }).context
      .children[name]!;
  return { root, other, subject: () => other("subject") };
}
