/**
 * Installs a package as its users do, and says what is missing: packed from the source, installed clean, started, listed and
 * compared.
 *
 * A task of the session. A server that does not start is a finding, from the source as from the package; what only the source
 * can do is a fault of the package. A check that takes too long fails.
 */
import { assign, not, or, raise, sendTo, setup, stateIn } from "xstate";
import { cancelledError } from "./cancelled_error.ts";
import { messageOf } from "./message_of.ts";
import type {
  ComparedPackage,
  InstallCheckRequest,
  InstallCheckResult,
  InstalledPackage,
  InstallFault,
  InstallSurvey,
  PackedPackage,
  ServerStart,
} from "./model/install_check.ts";
import type { PluginInfo } from "./model/session.ts";
import type { TestRunResult } from "./model/test_result.ts";
import { parentRef } from "./parent_ref.ts";
import { slot } from "./slot.ts";
import { sessionStep } from "./task/session_step.ts";
import {
  beginTask,
  noteItsError,
  stepId,
  type TaskContext,
  type TaskEvent,
  type TaskFact,
  type TaskInput,
} from "./task/task.ts";

export interface InstallCheckInput extends TaskInput {
  readonly check: InstallCheckRequest;
}

/** Work on a package, with all that is known by then. */
export interface InstallWork {
  requestId: string;
  check: InstallCheckRequest;
  survey: InstallSurvey;
  packed: PackedPackage;
  installed: InstalledPackage;
  /** Servers as they started from the source and from the package. */
  starts: { source: ServerStart[]; installed: ServerStart[] };
}

interface InstallCheckContext extends TaskContext, InstallCheckInput {
  survey: InstallSurvey | undefined;
  packed: PackedPackage | undefined;
  installed: InstalledPackage | undefined;
  starts: InstallWork["starts"];
  outcome: {
    /** Faults of programs and modules. */
    faults: InstallFault[];
    compared?: ComparedPackage;
    tested?: TestRunResult;
  };
}

const work = ({ context }: { context: InstallCheckContext }): InstallWork => ({
  requestId: context.requestId,
  check: context.check,
  survey: context.survey!,
  packed: context.packed!,
  installed: context.installed!,
  starts: context.starts,
});

/** Limit for the start of a server: one that is none waits for its input. */
const startTimeoutSeconds = 20;

const listed = (name: string, { tools }: PluginInfo): ServerStart => ({
  name,
  tools: tools.map((tool) => tool.name),
});

function notStarted(name: string, error: unknown): ServerStart {
  const { output } = (error as { context?: { output?: unknown } } | undefined)?.context ?? {};
  return {
    name,
    error: { message: messageOf(error), ...(typeof output === "string" ? { output } : {}) },
  };
}

/** Session states that take no request are no fault of the server. */
const isRefusal = (error: unknown) => error instanceof Error && "request" in error;

/** A slot is given up at once. */
const giveUp = { "task.cancel": { target: "#installCheck.failed", actions: "noteCancel" } } as const;
/** The session says what came of a step that is cancelled. */
const passCancel = { "task.cancel": { actions: ["noteCancel", "cancelStep"] } } as const;

export const installCheckMachine = setup({
  types: {
    context: {} as InstallCheckContext,
    input: {} as InstallCheckInput,
    events: {} as TaskEvent,
  },
  actors: {
    survey: slot<InstallSurvey, Pick<InstallWork, "requestId" | "check">>("install_check.survey"),
    load: sessionStep<"session.load_plugin">(),
    pack: slot<PackedPackage, InstallWork>("install_check.pack"),
    install: slot<InstalledPackage, InstallWork>("install_check.install"),
    /** Starts programs and imports modules; answers with those that fail. */
    tryPrograms: slot<InstallFault[], InstallWork>("install_check.try_programs"),
    compare: slot<ComparedPackage, InstallWork>("install_check.compare"),
    runTests: sessionStep<"session.run_tests">(),
  },
  actions: {
    noteError: assign((_, { error }: { error: unknown }) => ({ error })),
    noteCancel: assign(({ context: { error } }) => ({
      cancelled: true,
      error: error ?? cancelledError("the install check"),
    })),
    noteOverdue: assign(({ context: { check } }) => ({
      error: Object.assign(
        new Error(`Cannot finish the install check: it took more than ${check.timeoutMs / 1000} s`),
        { name: "TimeoutError" },
      ),
    })),
    cancelStep: sendTo(stepId, { type: "task.cancel" }),
    noteSource: assign(({ context: { starts } }, { start }: { start: ServerStart }) => ({
      starts: { ...starts, source: [...starts.source, start] },
    })),
    noteInstalled: assign(({ context: { starts } }, { start }: { start: ServerStart }) => ({
      starts: { ...starts, installed: [...starts.installed, start] },
    })),
  },
  guards: {
    isUnderWay: not(or([stateIn("completed"), stateIn("failed")])),
    isCancelled: ({ context }) => context.cancelled,
    isRefused: (_, { error }: { error: unknown }) => isRefusal(error),
    hasSource: ({ context: { survey, starts } }) =>
      survey!.archive === undefined && starts.source.length < survey!.servers.length,
    hasServer: ({ context: { installed, starts } }) => starts.installed.length < installed!.servers.length,
    isPacked: ({ context: { packed } }) => packed!.fault === undefined,
    hasFiles: ({ context: { installed } }) => installed!.root !== "",
    isInstalled: ({ context: { installed } }) => installed!.fault === undefined,
    /** Tests need the server that started last. */
    isTested: ({ context: { check, starts } }) => check.suite && starts.installed.at(-1)?.tools !== undefined,
  },
  delays: { whole: ({ context }) => context.check.timeoutMs },
}).createMachine({
  id: "installCheck",
  description: "Installs a package as its users do, and compares it with its source.",
  context: ({ input }) => ({
    ...beginTask(input),
    ...input,
    survey: undefined,
    packed: undefined,
    installed: undefined,
    starts: { source: [], installed: [] },
    outcome: { faults: [] },
  }),
  initial: "surveying",
  after: {
    whole: { guard: "isUnderWay", actions: ["noteOverdue", raise({ type: "task.cancel" })] },
  },
  states: {
    surveying: {
      invoke: {
        src: "survey",
        input: ({ context: { requestId, check } }) => ({ requestId, check }),
        onDone: { target: "choosingSource", actions: assign({ survey: ({ event }) => event.output }) },
        onError: { target: "failed", actions: noteItsError },
      },
      on: giveUp,
    },
    choosingSource: { always: [{ guard: "hasSource", target: "sourcing" }, { target: "packing" }] },
    /** Installs, builds and starts a server of the source, whose tools are those that its author sees. */
    sourcing: {
      invoke: {
        id: stepId,
        src: "load",
        input: ({ context: { survey, starts, caller, cancelled } }) => {
          const { name, command } = survey!.servers[starts.source.length]!;
          return {
            request: {
              type: "session.load_plugin",
              load: {
                startTimeoutSeconds,
                ...(name === "" ? {} : { server: name }),
                ...(command === undefined ? {} : { command }),
              },
              caller,
            },
            cancelled,
          };
        },
        onDone: {
          target: "choosingSource",
          actions: {
            type: "noteSource",
            params: ({ context: { survey, starts }, event }) => ({
              start: listed(survey!.servers[starts.source.length]!.name, event.output),
            }),
          },
        },
        onError: [
          { guard: "isCancelled", target: "failed" },
          {
            guard: { type: "isRefused", params: ({ event }) => ({ error: event.error }) },
            target: "failed",
            actions: noteItsError,
          },
          {
            target: "choosingSource",
            actions: {
              type: "noteSource",
              params: ({ context: { survey, starts }, event }) => ({
                start: notStarted(survey!.servers[starts.source.length]!.name, event.error),
              }),
            },
          },
        ],
      },
      on: passCancel,
    },
    packing: {
      invoke: {
        src: "pack",
        input: work,
        onDone: { target: "packed", actions: assign({ packed: ({ event }) => event.output }) },
        onError: { target: "failed", actions: noteItsError },
      },
      on: giveUp,
    },
    packed: { always: [{ guard: "isPacked", target: "installing" }, { target: "completed" }] },
    installing: {
      invoke: {
        src: "install",
        input: work,
        onDone: { target: "installed", actions: assign({ installed: ({ event }) => event.output }) },
        onError: { target: "failed", actions: noteItsError },
      },
      on: giveUp,
    },
    /** Files of what the installer refuses show more faults than the first that it names. */
    installed: {
      always: [
        { guard: "isInstalled", target: "trying" },
        { guard: "hasFiles", target: "comparing" },
        { target: "completed" },
      ],
    },
    trying: {
      invoke: {
        src: "tryPrograms",
        input: work,
        onDone: {
          target: "choosingServer",
          actions: assign({ outcome: ({ event }) => ({ faults: event.output }) }),
        },
        onError: { target: "failed", actions: noteItsError },
      },
      on: giveUp,
    },
    choosingServer: { always: [{ guard: "hasServer", target: "starting" }, { target: "comparing" }] },
    /** Starts a server of the package, in the place of the one that runs. */
    starting: {
      invoke: {
        id: stepId,
        src: "load",
        input: ({ context: { installed, starts, caller, cancelled } }) => ({
          request: {
            type: "session.load_plugin",
            load: {
              command: installed!.servers[starts.installed.length]!.command,
              install: "",
              build: "",
              startTimeoutSeconds,
            },
            caller,
          },
          cancelled,
        }),
        onDone: {
          target: "choosingServer",
          actions: {
            type: "noteInstalled",
            params: ({ context: { installed, starts }, event }) => ({
              start: listed(installed!.servers[starts.installed.length]!.name, event.output),
            }),
          },
        },
        onError: [
          { guard: "isCancelled", target: "failed" },
          {
            guard: { type: "isRefused", params: ({ event }) => ({ error: event.error }) },
            target: "failed",
            actions: noteItsError,
          },
          {
            target: "choosingServer",
            actions: {
              type: "noteInstalled",
              params: ({ context: { installed, starts }, event }) => ({
                start: notStarted(installed!.servers[starts.installed.length]!.name, event.error),
              }),
            },
          },
        ],
      },
      on: passCancel,
    },
    comparing: {
      invoke: {
        src: "compare",
        input: work,
        onDone: {
          target: "compared",
          actions: assign({
            outcome: ({ context, event }) => ({ ...context.outcome, compared: event.output }),
          }),
        },
        onError: { target: "failed", actions: noteItsError },
      },
      on: giveUp,
    },
    compared: { always: [{ guard: "isTested", target: "testing" }, { target: "completed" }] },
    testing: {
      invoke: {
        id: stepId,
        src: "runTests",
        input: ({ context: { caller, cancelled } }) => ({
          request: { type: "session.run_tests", suite: {}, caller },
          cancelled,
        }),
        onDone: {
          target: "completed",
          actions: assign({
            outcome: ({ context, event }) => ({ ...context.outcome, tested: event.output }),
          }),
        },
        onError: [
          { guard: "isCancelled", target: "failed" },
          { target: "failed", actions: noteItsError },
        ],
      },
      on: passCancel,
    },
    completed: {
      type: "final",
      entry: sendTo(parentRef, ({ context }): TaskFact => ({
        type: "task.completed",
        requestId: context.requestId,
        result: resultOf(context),
      })),
    },
    failed: {
      type: "final",
      entry: sendTo(
        parentRef,
        ({ context: { requestId, error } }): TaskFact => ({ type: "task.failed", requestId, error }),
      ),
    },
  },
});

function resultOf(context: InstallCheckContext): InstallCheckResult {
  const { check, survey, packed, installed, outcome: { faults, compared, tested } } = context;
  const broken = [packed?.fault, installed?.fault].filter((fault) => fault !== undefined);
  return {
    kind: check.kind,
    name: survey!.name,
    ...(survey!.version === undefined ? {} : { version: survey!.version }),
    faults: [
      ...broken,
      ...faults,
      ...(compared?.faults ?? []).filter(({ code, place }) =>
        !broken.some((one) => one.code === code && one.place === place)
      ),
    ],
    ...(compared === undefined ? {} : { source: compared.source, installed: compared.installed }),
    notes: [...packed?.notes ?? [], ...installed?.notes ?? [], ...compared?.notes ?? []],
    ...(tested === undefined ? {} : {
      suite: tested.summary,
      failedTests: tested.results.filter(({ status }) => status === "failed").map(({ name }) => name),
    }),
  };
}
