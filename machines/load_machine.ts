/**
 * Brings the plugin under test up, with the dependencies that it needs: a load, or a reload of what runs.
 *
 * A task of the session. Configuration that turns out to be missing is asked for, and the step taken again. What fails
 * before a reload stops the old server leaves that server running.
 */
import { assign, not, or, sendTo, setup, stateIn } from "xstate";
import type { ReloadReport } from "./model/reload_report.ts";
import type { LoadedPlugin, PluginInfo } from "./model/session.ts";
import { parentRef } from "./parent_ref.ts";
import type { LoadRequest } from "./plugin_machine.ts";
import { slot } from "./slot.ts";
import { sessionStep } from "./task/session_step.ts";
import {
  beginTask,
  noteItsError,
  stepId,
  taskActions,
  taskCancelled,
  type TaskContext,
  type TaskEvent,
  type TaskFact,
  type TaskInput,
  taskTransitions,
} from "./task/task.ts";

/** Facts for the session. */
export type LoadFact =
  | { type: "plugin.loaded"; plugin: PluginInfo }
  /** The error is that of the diagnosis. */
  | { type: "plugin.load_failed"; error: unknown };

/** Reason why the plugin did not come up. */
export interface LoadFailure {
  /** For the diagnosis; undefined where the load did not begin, which leaves the plugin as it was. */
  failure: unknown;
  /** The same, for the caller. */
  error: unknown;
}

/** Outcome of a load or reload. */
export interface SettledPlugin {
  plugin: PluginInfo;
  /** Changes that a reload made; absent where none was asked for. */
  report?: ReloadReport;
}

export interface LoadInput extends TaskInput {
  readonly load: LoadRequest;
  /** A reload is wanted: its result is what the reload changed. */
  readonly reload: boolean;
  /** The plugin runs: a reload keeps it until the new one is built, a load stops it first. */
  readonly running: boolean;
  /** The dependencies are to be started first. */
  readonly dependencies: boolean;
}

/** Given to the slots. */
export interface LoadStep {
  /** The plugin runs and is reloaded; else it is loaded. */
  reloads: boolean;
  /** True if the result lists changes. */
  reload: boolean;
}

interface LoadContext extends TaskContext, LoadInput {
  /** The step that lacks configuration. */
  asksFor: "dependencies" | "plugin";
  /** Variables that were asked for already. */
  asked: string[];
  loaded: LoadedPlugin | undefined;
  result: unknown;
}

const stepOf = ({ reload, running }: LoadContext): LoadStep => ({
  reload,
  reloads: reload && running,
});

const itsOutput = <Output>({ event }: { event: { output: Output } }): Output => event.output;

export const loadMachine = setup({
  types: {
    context: {} as LoadContext,
    input: {} as LoadInput,
    events: {} as TaskEvent,
  },
  actors: {
    unload: sessionStep<"session.unload">(),
    startDependencies: sessionStep<"session.start_dependencies">(),
    load: sessionStep<"session.load">(),
    reload: sessionStep<"session.reload">(),
    /** Reads the plugin's test files, and notes how the environment is before the load. */
    observe: slot<void, LoadStep>("load.observe"),
    /** Forgets what is known of the server before. */
    prepare: slot<void, void>("load.prepare"),
    /** Asks a person for the configuration that an error says is missing; rejects where that is none, or nobody answers. */
    askConfig: slot<string[], { caller: string; error: unknown; asked: string[] }>("load.ask_config"),
    /** Compares the loaded plugin with what it was. */
    settle: slot<SettledPlugin, LoadStep & { loaded: LoadedPlugin }>("load.settle"),
    /** Reads from an error what is left of the plugin. */
    readFailure: slot<LoadFailure, LoadStep & { error: unknown }>("load.read_failure"),
  },
  actions: {
    ...taskActions<LoadContext>(),
    tellFailure: sendTo(
      parentRef,
      (_, { failure }: LoadFailure): LoadFact => ({ type: "plugin.load_failed", error: failure }),
    ),
    noteResult: assign({ result: (_, { plugin, report }: SettledPlugin) => report ?? plugin }),
    tellLoaded: sendTo(
      parentRef,
      (_, { plugin }: SettledPlugin): LoadFact => ({ type: "plugin.loaded", plugin }),
    ),
  },
  guards: {
    isUnderWay: not(or([stateIn("completed"), stateIn("failed")])),
    reloads: ({ context }) => context.reload && context.running,
    needsDependencies: ({ context }) => context.dependencies,
    isRunning: ({ context }) => context.running,
    lacksDependencies: ({ context }) => context.asksFor === "dependencies",
  },
}).createMachine({
  id: "load",
  description: "Brings the plugin under test up, with the dependencies that it needs.",
  context: ({ input }) => ({
    ...beginTask(input),
    ...input,
    asksFor: "dependencies",
    asked: [],
    loaded: undefined,
    result: undefined,
  }),
  initial: "deciding",
  on: taskTransitions,
  states: {
    deciding: {
      always: [
        { guard: "reloads", target: "observing" },
        { guard: "isRunning", target: "unloading" },
        { target: "observing" },
      ],
    },
    unloading: {
      invoke: {
        id: stepId,
        src: "unload",
        input: ({ context: { cancelled } }) => ({ request: { type: "session.unload" }, cancelled }),
        onDone: "observing",
        onError: { target: "failed", actions: noteItsError },
      },
    },
    observing: {
      invoke: {
        id: stepId,
        src: "observe",
        input: ({ context }) => stepOf(context),
        onDone: [
          { guard: "needsDependencies", target: "startingDependencies" },
          { guard: "reloads", target: "reloading" },
          { target: "preparing" },
        ],
        onError: { target: "failed", actions: noteItsError },
      },
    },
    startingDependencies: {
      entry: assign({ asksFor: "dependencies" }),
      invoke: {
        id: stepId,
        src: "startDependencies",
        input: ({ context: { cancelled } }) => ({
          request: { type: "session.start_dependencies" },
          cancelled,
        }),
        onDone: [{ guard: "reloads", target: "reloading" }, { target: "preparing" }],
        onError: { target: "askingConfig", actions: noteItsError },
      },
    },
    preparing: {
      invoke: {
        id: stepId,
        src: "prepare",
        onDone: "loading",
        onError: { target: "failed", actions: noteItsError },
      },
    },
    loading: {
      entry: assign({ asksFor: "plugin" }),
      invoke: {
        id: stepId,
        src: "load",
        input: ({ context: { load, cancelled } }) => ({ request: { type: "session.load", load }, cancelled }),
        onDone: { target: "settling", actions: assign({ loaded: ({ event }) => event.output }) },
        onError: { target: "askingConfig", actions: noteItsError },
      },
    },
    reloading: {
      entry: assign({ asksFor: "plugin" }),
      invoke: {
        id: stepId,
        src: "reload",
        input: ({ context: { cancelled } }) => ({ request: { type: "session.reload" }, cancelled }),
        onDone: { target: "settling", actions: assign({ loaded: ({ event }) => event.output }) },
        onError: { target: "askingConfig", actions: noteItsError },
      },
    },
    askingConfig: {
      on: {
        "task.cancel": { target: "readingFailure", actions: { type: "noteError", params: taskCancelled } },
      },
      invoke: {
        id: stepId,
        src: "askConfig",
        input: ({ context: { caller, error, asked } }) => ({ caller, error, asked }),
        onDone: [
          {
            guard: "lacksDependencies",
            target: "startingDependencies",
            actions: assign({ asked: ({ event }) => event.output }),
          },
          {
            guard: "reloads",
            target: "reloading",
            actions: assign({ asked: ({ event }) => event.output }),
          },
          { target: "loading", actions: assign({ asked: ({ event }) => event.output }) },
        ],
        onError: [
          { guard: "lacksDependencies", target: "failed", actions: noteItsError },
          { target: "readingFailure", actions: noteItsError },
        ],
      },
    },
    settling: {
      invoke: {
        id: stepId,
        src: "settle",
        input: ({ context }) => ({ ...stepOf(context), loaded: context.loaded! }),
        onDone: [
          {
            guard: "reloads",
            target: "completed",
            actions: { type: "noteResult", params: itsOutput },
          },
          {
            target: "completed",
            actions: [{ type: "noteResult", params: itsOutput }, { type: "tellLoaded", params: itsOutput }],
          },
        ],
        onError: { target: "failed", actions: noteItsError },
      },
    },
    readingFailure: {
      invoke: {
        id: stepId,
        src: "readFailure",
        input: ({ context }) => ({ ...stepOf(context), error: context.error }),
        onDone: [
          {
            guard: ({ event }) => event.output.failure === undefined,
            target: "failed",
            actions: { type: "noteError", params: itsOutput },
          },
          {
            target: "failed",
            actions: [{ type: "noteError", params: itsOutput }, { type: "tellFailure", params: itsOutput }],
          },
        ],
        onError: { target: "failed", actions: noteItsError },
      },
    },
    completed: {
      type: "final",
      entry: sendTo(
        parentRef,
        ({ context: { requestId, result } }): TaskFact => ({ type: "task.completed", requestId, result }),
      ),
    },
    failed: { type: "final", entry: "tellFailed" },
  },
});
