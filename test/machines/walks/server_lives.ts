/** Lives of what runs servers: connection, pool, plugin, dependencies. */
import { type AnyActorRef, type AnyEventObject, createActor, createMachine } from "xstate";
import { connectionFake, dependenciesFake, environmentInfo, plan, pluginFake, poolFake } from "./fakes.ts";
import { Ledger } from "./ledger.ts";
import { type Begin, describe, parentOf } from "./run_walk.ts";
import type { World } from "./world.ts";

const isDone = (actor: AnyActorRef) => actor.getSnapshot().status !== "active";
const valueOf = (actor: AnyActorRef) => (actor.getSnapshot() as { value: unknown }).value;
/** Hears what a machine tells whoever holds something of it. */
export const listener = (world: World, hear: (event: AnyEventObject) => void) =>
  createActor(createMachine({ on: { "*": { actions: ({ event }) => hear(event) } } }), {
    clock: world.clock,
  }).start();

export function connectionLife(world: World): Begin {
  const machine = connectionFake(world);
  return () => {
    const ledger = new Ledger();
    let calls = 0;
    const caller = listener(world, (event) => {
      if (event.type === "call.progressed") return;
      ledger.answered(`call ${event["callId"]}`, event.type);
    });
    const { root, subject } = parentOf(world, machine, {
      input: () => ({ connectionId: "c", instance: 0, plan }),
      hear: ({ type }) => {
        if (type === "connection.opened" || type === "connection.open_failed") {
          ledger.answered("opening", type);
        }
        if (type === "connection.closed") {
          ledger.forgiven("opening");
          ledger.answered("its end", type);
        }
        if (type === "connection.open_failed") ledger.answered("its end", type);
        // The pool tells whoever holds the lease, or closes it for its holder.
        if (type === "connection.lost" || type === "connection.closed") forgiveCalls();
      },
    });
    const forgiveCalls = () =>
      ledger.open.filter((id) => id.startsWith("call")).forEach((id) => ledger.forgiven(id));
    const send = (event: AnyEventObject) => {
      world.journal.push(event.type);
      subject().send(event);
    };
    ledger.asked("opening", "its start");
    ledger.asked("its end", "its start");
    return {
      root,
      act() {
        const lot = world.random.below(8);
        const idle = subject().getSnapshot().matches({ open: "idle" });
        if (lot === 0) send({ type: "connection.close" });
        else if (lot < 3) {
          forgiveCalls();
          send({ type: "connection.cancel_call" });
        } else if (idle) {
          const callId = `${calls++}`;
          ledger.asked(`call ${callId}`, describe(subject()));
          send(
            lot < 6
              ? { type: "connection.call", callId, tool: "echo", input: {}, caller }
              : { type: "connection.perform", callId, step: { action: {} }, variables: {}, caller },
          );
        }
      },
      end: () => send({ type: "connection.close" }),
      isOver: () => isDone(subject()),
      faults: () => ledger.faults(),
    };
  };
}

export function poolLife(world: World): Begin {
  const machine = poolFake(world);
  return () => {
    const ledger = new Ledger();
    const holds = new Map<string, string>();
    const shared: string[] = [];
    /** Group of each lease, and that of each connection's leases so far. */
    const groups = new Map<string, string | undefined>();
    const users = new Map<string, string | undefined>();
    let leases = 0;
    const holder = listener(world, (event) => {
      if (event.type === "connection.lost") {
        for (const [lease, connection] of holds) {
          if (connection === event["connectionId"]) holds.delete(lease);
        }
        return;
      }
      const leaseId = event["leaseId"] as string;
      ledger.answered(leaseId, event.type);
      if (event.type !== "lease.granted") return;
      const connectionId = event["connectionId"] as string;
      if ([...holds.values()].includes(connectionId)) shared.push(`${connectionId} is leased twice`);
      holds.set(leaseId, connectionId);
      const group = groups.get(leaseId);
      if (group !== undefined && users.has(connectionId) && users.get(connectionId) !== group) {
        shared.push(`${connectionId} was used before group ${group}`);
      }
      users.set(connectionId, group);
    });
    const { root, subject } = parentOf(world, machine, {
      input: () => ({ plan, size: 1 + world.random.below(3) }),
      hear: ({ type }) => {
        if (type === "pool.opened" || type === "pool.failed") ledger.answered("opening", type);
        if (type !== "pool.closed") return;
        ledger.forgiven("opening");
        ledger.answered("closing", type);
      },
    });
    const send = (event: AnyEventObject) => {
      world.journal.push(`${event.type} ${event["leaseId"] ?? ""}`);
      subject().send(event);
    };
    const close = () => {
      if (!asked) ledger.asked("closing", describe(subject()));
      asked = true;
      send({ type: "pool.close" });
    };
    let asked = false;
    ledger.asked("opening", "its start");
    return {
      root,
      act() {
        const lot = world.random.below(20);
        const waiting = ledger.open.filter((id) => id.startsWith("lease"));
        if (lot === 0) close();
        else if (lot < 3) {
          send({ type: "pool.resize", size: world.random.below(4), spares: world.random.below(2) });
        } else if (lot < 4) send({ type: "pool.retire", group: world.random.pick(["a", "b"]) });
        else if (lot < 5) send({ type: world.random.pick(["pool.rest", "pool.wake"]) });
        else if (lot < 12) {
          if (isDone(subject())) return;
          const leaseId = `lease-${leases++}`;
          ledger.asked(leaseId, describe(subject()));
          const abilities = world.random.chance(0.2) ? { abilities: ["roots"] } : {};
          const group = world.random.chance(0.4) ? { group: world.random.pick(["a", "b"]) } : {};
          groups.set(leaseId, group.group);
          send({ type: "lease.requested", leaseId, holder, ...abilities, ...group });
        } else {
          const leaseId = world.random.pick([...holds.keys(), ...waiting, "unknown"]);
          holds.delete(leaseId);
          ledger.forgiven(leaseId);
          send({ type: "lease.released", leaseId, restart: world.random.chance(0.3) });
        }
      },
      end: close,
      isOver: () => isDone(subject()),
      faults: () => [...ledger.faults(), ...shared],
    };
  };
}

export function pluginLife(world: World): Begin {
  const machine = pluginFake(world);
  return () => {
    const ledger = new Ledger();
    let reloads = 0;
    let asked = false;
    /** Number of the latest reload that was given up. */
    let givenUp: number | undefined;
    const { root, subject } = parentOf(world, machine, {
      input: () => ({ environment: environmentInfo.handle, load: {} }),
      hear: ({ type }) => {
        if (type === "plugin.started" || type === "plugin.failed") ledger.answered("loading", type);
        if (type === "plugin.reloaded" && givenUp === reloads) {
          ledger.wrong(`reload ${reloads} was given up, and went on`);
        }
        if (type === "plugin.reloaded" || type === "plugin.reload_failed") {
          ledger.answered(`reload ${reloads}`, type);
        }
        if (type !== "plugin.stopped") return;
        // It is the answer to whatever else is under way.
        ledger.forgiven("loading");
        ledger.forgiven(`reload ${reloads}`);
        ledger.answered("stopping", type);
      },
    });
    const send = (event: AnyEventObject) => {
      world.journal.push(event.type);
      subject().send(event);
    };
    const stop = () => {
      if (!asked) ledger.asked("stopping", describe(subject()));
      asked = true;
      send({ type: "plugin.stop" });
    };
    const isReloading = (step: string) => describe(subject()).includes(`"reloading":"${step}`);
    const giveUp = () => {
      if (isReloading("")) givenUp = reloads;
      send({ type: "plugin.cancel_reload" });
      // The end of servers is bounded; a plan, an install, a build or a start is not.
      if (["planning", "installing", "building", "starting"].some(isReloading)) {
        ledger.wrong(`reload ${reloads} goes on after it was given up`);
      }
    };
    ledger.asked("loading", "its start");
    return {
      root,
      act() {
        const lot = world.random.below(12);
        if (lot === 0) stop();
        else if (lot < 3) giveUp();
        else if (lot < 6) send({ type: world.random.pick(["plugin.rest", "plugin.wake"]) });
        else if (valueOf(subject()) === "ready") {
          ledger.asked(`reload ${++reloads}`, "ready");
          send({ type: "plugin.reload" });
        }
      },
      end: stop,
      isOver: () => isDone(subject()),
      faults: () => ledger.faults(),
    };
  };
}

export function dependenciesLife(world: World): Begin {
  const machine = dependenciesFake(world);
  return () => {
    const ledger = new Ledger();
    let starts = 0;
    let asked = false;
    const { root, subject } = parentOf(world, machine, {
      input: () => ({
        environment: environmentInfo.handle,
        names: ["a", "b", "c"].slice(world.random.below(3)),
      }),
      hear: ({ type }) => {
        if (type === "dependencies.started") ledger.answered(`start ${starts}`, type);
        if (type === "dependencies.failed") {
          ledger.answeredAll("start", type);
          ledger.answeredAll("stop", type);
          ledger.answered("its end", type);
        }
        if (type !== "dependencies.stopped") return;
        ledger.answeredAll("start", type);
        ledger.answered("stop", type);
        ledger.answered("its end", type);
      },
    });
    const send = (event: AnyEventObject) => {
      world.journal.push(event.type);
      subject().send(event);
    };
    const stop = () => {
      if (!asked) ledger.asked("stop", describe(subject()));
      asked = true;
      send({ type: "dependencies.stop" });
    };
    ledger.asked("start 0", "its start");
    ledger.asked("its end", "its start");
    return {
      root,
      act() {
        const lot = world.random.below(8);
        if (lot === 0) stop();
        else if (lot < 4) send({ type: world.random.pick(["dependencies.rest", "dependencies.wake"]) });
        else if (valueOf(subject()) === "ready") {
          ledger.asked(`start ${++starts}`, "ready");
          send({ type: "dependencies.restart", environment: environmentInfo.handle } as AnyEventObject);
        }
      },
      end: stop,
      isOver: () => isDone(subject()),
      faults: () => ledger.faults(),
    };
  };
}
