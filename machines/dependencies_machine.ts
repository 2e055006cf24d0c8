/**
 * The plugins that the one under test needs around it, in one environment.
 *
 * Started by the session before it loads the plugin under test. Each dependency is a plugin actor: they start one after
 * another, each when the one before has listed its tools, and stop in reverse order. One that fails stops them all.
 */
import { type ActorRefFrom, assign, enqueueActions, sendTo, setup, stopChild } from "xstate";
import type { EnvironmentHandle } from "./model/environment.ts";
import { parentRef } from "./parent_ref.ts";
import { type PluginFact, pluginMachine } from "./plugin_machine.ts";

export interface DependenciesInput {
  environment: EnvironmentHandle;
  /** In the order in which they start; unique. */
  names: string[];
}

export type DependenciesEvent =
  /** Restarts all: after a rollback none of them is running. */
  | { type: "dependencies.restart"; environment: EnvironmentHandle }
  /** A rollback begins, which ends them, or it failed. */
  | { type: "dependencies.rest" }
  | { type: "dependencies.wake" }
  | { type: "dependencies.stop" }
  | PluginFact;

/** Facts for the session. */
export type DependenciesFact =
  | { type: "dependencies.started" }
  | { type: "dependencies.failed"; error: unknown }
  | { type: "dependencies.stopped" };

interface DependenciesContext extends DependenciesInput {
  /** Dependencies that were started and not stopped, in order. */
  running: { id: string; name: string; plugin: ActorRefFrom<typeof pluginMachine> }[];
  error: unknown;
}

const tellSession = (fact: DependenciesFact) => fact;

const dependenciesSetup = setup({
  types: {
    context: {} as DependenciesContext,
    input: {} as DependenciesInput,
    events: {} as DependenciesEvent,
  },
  actors: { plugin: pluginMachine },
  actions: {
    startNext: assign({
      running: ({ context: { environment, names, running }, spawn }) => {
        const name = names[running.length]!;
        const id = `dependency-${running.length + 1}`;
        const plugin = spawn("plugin", { id, input: { environment, load: { dependency: name } } });
        return [...running, { id, name, plugin }];
      },
    }),
    stopLast: sendTo(({ context }) => context.running.at(-1)!.plugin, { type: "plugin.stop" }),
    forgetLast: enqueueActions(({ context: { running }, enqueue }) => {
      enqueue(stopChild(running.at(-1)!.id));
      enqueue.assign({ running: running.slice(0, -1) });
    }),
    keepError: assign({ error: (_, { error }: { error: unknown }) => error }),
    adoptEnvironment: assign({
      environment: (_, { environment }: { environment: EnvironmentHandle }) => environment,
    }),
    tellEach: enqueueActions(
      ({ context: { running }, enqueue }, { type }: { type: "plugin.rest" | "plugin.wake" }) => {
        for (const { plugin } of running) enqueue.sendTo(plugin, { type });
      },
    ),
    tellStarted: sendTo(parentRef, tellSession({ type: "dependencies.started" })),
  },
  guards: {
    allBegun: ({ context: { names, running } }) => running.length >= names.length,
    isLastLeft: ({ context: { running } }) => running.length === 1,
  },
});

/** One has stopped: the one before it follows; after the last the way goes on to `target`. */
const thenGoTo = <Target extends string>(target: Target) =>
  [
    { guard: "isLastLeft", target, actions: "forgetLast" },
    { actions: ["forgetLast", "stopLast"] },
  ] as const;

export const dependenciesMachine = dependenciesSetup.createMachine({
  id: "dependencies",
  description: "The plugins that the one under test needs around it, in one environment.",
  context: ({ input }) => ({ ...input, running: [], error: undefined }),
  initial: "starting",
  states: {
    starting: {
      entry: "startNext",
      on: {
        "plugin.started": [{ guard: "allBegun", target: "ready" }, { target: "starting", reenter: true }],
        "plugin.failed": {
          target: "failing",
          actions: { type: "keepError", params: ({ event }) => ({ error: event.error }) },
        },
        "dependencies.stop": "stopping",
      },
    },
    ready: {
      entry: "tellStarted",
      on: {
        "dependencies.restart": {
          target: "restarting",
          actions: { type: "adoptEnvironment", params: ({ event: { environment } }) => ({ environment }) },
        },
        "dependencies.rest": { actions: { type: "tellEach", params: { type: "plugin.rest" } } },
        "dependencies.wake": { actions: { type: "tellEach", params: { type: "plugin.wake" } } },
        "dependencies.stop": "stopping",
      },
    },
    restarting: {
      entry: "stopLast",
      on: {
        "dependencies.stop": "stopping",
        "plugin.stopped": thenGoTo("starting"),
      },
    },
    failing: { entry: "stopLast", on: { "plugin.stopped": thenGoTo("failed") } },
    stopping: { entry: "stopLast", on: { "plugin.stopped": thenGoTo("stopped") } },
    failed: {
      type: "final",
      entry: sendTo(
        parentRef,
        ({ context }) => tellSession({ type: "dependencies.failed", error: context.error }),
      ),
    },
    stopped: { type: "final", entry: sendTo(parentRef, tellSession({ type: "dependencies.stopped" })) },
  },
});
