/** The composition root: the harness actor, its slots filled, behind the `Harness` interface. */
import { createActor, type InspectionEvent } from "xstate";
import type { SessionEnd } from "../machines/session_machine.ts";
import type { SessionInfo, Target } from "../machines/model/session.ts";
import { LiveSession } from "./actors/live_session.ts";
import { branchCommands, handOver } from "./app/branch_commands.ts";
import { environmentCommands } from "./app/environment_commands.ts";
import { fixCommands } from "./app/fix_commands.ts";
import { pluginCommands } from "./app/plugin_commands.ts";
import { openRecording, type Recording } from "./app/recording.ts";
import type { SessionContext } from "./app/session_context.ts";
import { testCommands } from "./app/test_commands.ts";
import { wireMachines } from "./app/wire_machines.ts";
import { PthError } from "./errors.ts";
import type { EndReport, Fact, Harness, SessionCommands } from "./harness.ts";
import { redactLog } from "./platform/log.ts";
import { openRegister } from "./session/register.ts";
import { registry as runtimes } from "./runtimes/_registry.ts";

export interface HarnessOptions {
  /** Writes every inspection event there, as JSON lines. */
  recordFile?: string;
}

interface OnStage {
  live: LiveSession;
  mode: "run" | "session";
  context?: SessionContext;
  commands?: SessionCommands;
}

/** @throws {PthError} `INVALID_INPUT` when the recording cannot be written */
export async function createHarness({ recordFile }: HarnessOptions = {}): Promise<Harness> {
  const listeners = new Set<(fact: Fact) => void>();
  const publish = (fact: Fact) => {
    for (const listener of listeners) listener(fact);
  };
  let onStage: OnStage | undefined;
  /** Knows the secrets of the latest session: what is told of it after its end must not tell them either. */
  let hide = (text: string): string => text;
  redactLog((text) => hide(text));
  const recording: Recording | undefined = recordFile === undefined
    ? undefined
    : await openRecording(recordFile, (text) => hide(text));
  const logic = wireMachines(() => onStage!.live, { fingerprints: () => onStage?.mode === "session" });
  const actor = createActor(
    logic,
    recording ? { inspect: (event: InspectionEvent) => recording.inspect(event) } : {},
  );
  actor.start();
  const on = (listener: (fact: Fact) => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };

  /** Resolves once the session has ended and nothing of it is left on stage. */
  const deactivated = () =>
    new Promise<{ end: SessionEnd | undefined; error: unknown }>((resolve) => {
      const subscription = actor.on("harness.deactivated", ({ end, error }) => {
        subscription.unsubscribe();
        onStage = undefined;
        resolve({ end, error });
        publish({ type: "harness.deactivated" });
      });
    });
  const activated = () => {
    let forget = () => {};
    const fact = new Promise<void>((resolve) => {
      const subscription = actor.on("harness.activated", () => resolve());
      forget = () => subscription.unsubscribe();
    });
    return { fact, forget };
  };
  let ending: Promise<{ end: SessionEnd | undefined; error: unknown }> | undefined;

  const harness: Harness = {
    get state() {
      return actor.getSnapshot().value as Harness["state"];
    },
    on,
    async startSession(target, options = {}) {
      if (onStage) throw sessionActive(onStage.live);
      const sessionId = crypto.randomUUID().slice(0, 8);
      const mode = options.mode ?? "session";
      const register = await openRegister(sessionId);
      if (onStage) {
        await register.close();
        throw sessionActive((onStage as OnStage).live);
      }
      const live = new LiveSession(sessionId, target, register, publish);
      hide = (text) => live.redact.text(text);
      onStage = { live, mode };
      const stage = onStage;
      ending = deactivated();
      const opened = activated();
      const force = options.force ?? false;
      const abort = () => actor.send({ type: "harness.end", keep: false });
      options.signal?.addEventListener("abort", abort, { once: true });
      actor.send({
        type: "harness.start",
        session: { sessionId, target: withoutSecrets(target), mode, force },
      });
      // A signal that fired before is not heard by listeners.
      if (options.signal?.aborted) abort();
      const failure = await Promise.race([opened.fact, ending]);
      opened.forget();
      options.signal?.removeEventListener("abort", abort);
      if (failure) throw failure.error ?? new PthError("INTERRUPTED", "Cannot start session: it was ended");
      const info = infoOf(stage.live, "active");
      stage.context = {
        live: stage.live,
        actor: actor.getSnapshot().context.session!,
        on,
        plugin: undefined,
        tests: [],
        results: new Map(),
        findings: [],
        examples: new Map(),
      };
      stage.commands = commandsOf(stage.context);
      for (const note of stage.live.source?.notes ?? []) stage.live.note(note);
      publish({ type: "harness.activated", session: info });
      return info;
    },
    async endSession({ keep = false, report = false } = {}): Promise<EndReport> {
      if (!onStage || !ending) return { branchKept: false, commits: 0, leftBehind: [], kept: [] };
      const { context, mode } = onStage;
      const handedOver = context && mode === "session" ? await handOver(context, report) : {};
      actor.send({ type: "harness.end", keep });
      const { end } = await ending;
      return {
        branchKept: end?.branchKept ?? false,
        commits: end?.commits ?? 0,
        leftBehind: end?.leftBehind ?? [],
        kept: end?.kept ?? [],
        ...(end?.branch === undefined ? {} : { branch: end.branch }),
        ...(end?.changes === undefined ? {} : { changes: end.changes }),
        ...(end?.repository === undefined ? {} : { repository: end.repository }),
        ...handedOver,
      };
    },
    session() {
      if (onStage?.commands) return onStage.commands;
      throw new PthError("NO_SESSION", "Cannot go on: no session is active", {
        next: ["Start one: pth_start_session({ pluginPath })"],
      });
    },
    async preflight(target) {
      const { preflight } = await import("./session/preflight.ts");
      const { listImages } = await import("./runtimes/images.ts");
      const images = async () =>
        (await listImages()).map(({ name, present, how, ageDays, stale }) => ({
          name,
          present,
          detail: present
            ? `built ${ageDays ?? 0} days ago${stale ? ", its definition changed since" : ""}`
            : how,
        }));
      return await preflight({ runtimes, images, ...(target === undefined ? {} : { target }) });
    },
    async rebuildImages(names, options = {}) {
      const { rebuildImages } = await import("./app/rebuild_images.ts");
      return await rebuildImages(names, options);
    },
    async close() {
      await harness.endSession();
      actor.stop();
      await recording?.close();
    },
  };
  return harness;
}

function commandsOf(context: SessionContext): SessionCommands {
  const plugin = pluginCommands(context);
  const environment = environmentCommands(context, plugin);
  return {
    info: () => infoOf(context.live, describeState(context)),
    timings: () => context.live.timings,
    ...environment,
    ...plugin,
    ...testCommands(context),
    ...branchCommands(context),
    ...fixCommands(context, { ...plugin, ...environment }),
  };
}

const infoOf = (live: LiveSession, status: string): SessionInfo => ({
  sessionId: live.sessionId,
  source: live.source!,
  status,
});

function describeState({ actor }: SessionContext): string {
  const { value } = actor.getSnapshot();
  if (typeof value === "string" || !("open" in value)) return "ending";
  const open = value.open as Record<string, string>;
  return Object.entries(open).map(([part, state]) => `${part} ${state}`).join(", ");
}

/** Machines are recorded and drawn: of secrets they get the names only. */
const withoutSecrets = ({ secrets, ...target }: Target): Target => ({
  ...target,
  ...(secrets
    ? { secrets: Object.fromEntries(Object.keys(secrets).map((name) => [name, "[REDACTED]"])) }
    : {}),
});

const sessionActive = (live: LiveSession) =>
  new PthError("SESSION_ACTIVE", `Cannot start session: session ${live.sessionId} is active`, {
    next: ["End it first: pth_end_session"],
  });
