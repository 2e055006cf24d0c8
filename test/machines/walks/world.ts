/**
 * The world around the machines of a walk: slots whose work ends when the walk says so, a clock that it turns, and the actors
 * that live. Nothing here waits for anything, so that the same seed goes the same way.
 */
import {
  type AnyActorLogic,
  type AnyActorRef,
  type AnyEventObject,
  type InspectionEvent,
  SimulatedClock,
} from "xstate";
import { type Random, randomFrom } from "./random.ts";

interface Work {
  name: string;
  input: unknown;
  ref: AnyActorRef;
  /** Of a slot whose machine has a limit: this one never ends by itself. */
  hangs: boolean;
  end(ref: AnyActorRef): void;
}

interface Chances {
  /** Of an error of the actor itself; default 0.15. */
  fails?: number;
  /** Of never ending; default 0. */
  hangs?: number;
}

interface FakeSnapshot {
  status: "active" | "done" | "error" | "stopped";
  output: unknown;
  error: unknown;
}

export class World {
  random: Random;
  clock = new SimulatedClock();
  /** What happened in this life, newest last. */
  journal: string[] = [];
  /** Nothing fails or hangs any more: a life comes to its end. */
  calm = false;
  #works: Work[] = [];
  #actors: AnyActorRef[] = [];
  #begun: { name: string; input: unknown }[] = [];

  constructor(seed: number) {
    this.random = randomFrom(seed);
  }

  /** A new life: nothing of the one before is there any more. */
  restart(seed: number): void {
    this.random = randomFrom(seed);
    this.clock = new SimulatedClock();
    this.journal = [];
    this.calm = false;
    this.#works = [];
    this.#actors = [];
    this.#begun = [];
  }

  readonly inspect = (event: InspectionEvent): void => {
    // One that is left before it starts, by a state that is passed through, never lives.
    const starts = event.type === "@xstate.event" && event.event.type === "xstate.init";
    if (starts) this.#actors.push(event.actorRef as AnyActorRef);
  };

  /** Actors that are active. */
  living(): AnyActorRef[] {
    return this.#actors.filter((actor) => actor.getSnapshot()?.status === "active");
  }

  /** Inputs of the work that was begun in slots of that name. */
  begun(name: string): unknown[] {
    return this.#begun.flatMap((work) => work.name === name ? [work.input] : []);
  }

  /** Fills a slot with one result. */
  slot(
    name: string,
    output: (input: never, random: Random) => unknown = () => undefined,
    { fails = 0.15, hangs = 0 }: Chances = {},
  ): never {
    return this.#logic(name, hangs, (ref, input) => {
      if (!this.calm && this.random.chance(fails)) ref.send({ type: "fake.fail" });
      else ref.send({ type: "fake.end", output: output(input as never, this.random) });
    });
  }

  /** Fills a slot that tells its machine events; the actor itself goes on until it is stopped. */
  channel(
    name: string,
    answer: (input: never, random: Random) => AnyEventObject,
    { fails = 0, hangs = 0 }: Chances = {},
  ): never {
    return this.#logic(name, hangs, (ref, input) => {
      if (!this.calm && this.random.chance(fails)) return ref.send({ type: "fake.fail" });
      const parent = (ref as unknown as { _parent: AnyActorRef })._parent;
      parent.send(answer(input as never, this.random));
    });
  }

  /** Ends a piece of work, if one is under way that can end. */
  settleOne(): boolean {
    this.#works = this.#works.filter(({ ref }) => ref.getSnapshot().status === "active");
    const able = this.#works.filter(({ hangs }) => !hangs);
    if (able.length === 0) return false;
    const work = this.random.pick(able);
    this.journal.push(`work ${work.name}`);
    work.end(work.ref);
    return true;
  }

  /** Ends all work under way in the slot of that name. */
  settle(name: string): void {
    for (const { ref, end } of this.#works.filter((work) => work.name === name)) {
      if (ref.getSnapshot().status === "active") end(ref);
    }
  }

  /** @param ms how far the clock goes */
  tick(ms: number): void {
    this.journal.push(`${ms} ms`);
    this.clock.increment(ms);
  }

  #logic(name: string, hangs: number, end: (ref: AnyActorRef, input: unknown) => void): never {
    const logic = {
      config: {},
      getInitialSnapshot: (_scope: unknown, input: unknown) => ({
        status: "active" as const,
        output: undefined,
        error: undefined,
        input,
      }),
      transition: (snapshot: FakeSnapshot, event: { type: string; output?: unknown }): FakeSnapshot => {
        if (event.type === "fake.end") return { ...snapshot, status: "done", output: event.output };
        if (event.type === "fake.fail") {
          return { ...snapshot, status: "error", error: new Error(`fake ${name} failed`) };
        }
        return event.type === "xstate.stop" ? { ...snapshot, status: "stopped" } : snapshot;
      },
      getPersistedSnapshot: (snapshot: FakeSnapshot) => snapshot,
      start: (snapshot: FakeSnapshot & { input: unknown }, { self }: { self: AnyActorRef }) => {
        const { input } = snapshot;
        this.#begun.push({ name, input });
        this.#works.push({
          name,
          input,
          ref: self,
          hangs: !this.calm && this.random.chance(hangs),
          end: (ref) => end(ref, input),
        });
      },
    };
    return logic as unknown as AnyActorLogic as never;
  }
}
