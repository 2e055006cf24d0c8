/** The session on stage, at most one at a time: starts it, gives its commands, ends it. */
import type { ActorRefFrom } from "xstate";
import type { harnessMachine } from "../../../machines/harness_machine.ts";
import type { SessionInfo, SessionTarget } from "../../../machines/model/session.ts";
import type { SessionEnd } from "../../../machines/session_machine.ts";
import { makeResources, type SessionResources } from "../../actors/session_resources.ts";
import { PthError } from "../../core/errors.ts";
import type { EndOptions, EndReport, Harness, Session } from "../../api/harness.ts";
import { redacted, type Redactor } from "../../core/redact.ts";
import type { FoundSession } from "../../session/resume/find_session.ts";
import { openRegister } from "../../registry/register.ts";
import { findSuperpowers } from "../../session/superpowers.ts";
import { guardWhileIterating } from "../loop/guard_while_iterating.ts";
import { closeSession } from "./close_session.ts";
import type { EventBus } from "../event_bus.ts";
import { publishEmitted } from "./publish_emitted.ts";
import { sessionHistory } from "../tests/run_history.ts";
import { sessionCommands, sessionInfo } from "./session_commands.ts";
import { definedOnly } from "../../core/values.ts";
import { type OpenSideSession, type SessionParts, testStores, withProgress } from "./session_parts.ts";
import type { SessionState } from "../../../machines/model/session_state.ts";

type HarnessActor = ActorRefFrom<typeof harnessMachine>;
type StartRequest = NonNullable<Parameters<Harness["startSession"]>[1]>;

/** Outcome of a session that has ended. */
interface Ended {
  end: SessionEnd | undefined;
  error: unknown;
}

interface OnStage {
  live: SessionResources;
  mode: "run" | "session";
  /** Resolves once the session has ended and nothing of it is left on stage. */
  ended: Promise<Ended>;
  /** Takes it off the stage before the harness has heard of it. */
  leave(): void;
  /** Before `known to the harness`, ending the session through the harness would have no effect. */
  phase: "entering" | "called off" | "known to the harness";
  context?: SessionParts;
  commands?: Session;
}

export class SessionManager {
  readonly #bus: EventBus;
  readonly #keepsHistory: boolean;
  readonly #openSideSession: OpenSideSession;
  #actor: HarnessActor | undefined;
  #onStage: OnStage | undefined;
  /** Prepares a session before it is on stage; never rejects. */
  #entering: Promise<unknown> = Promise.resolve();
  /** No session starts any more. */
  #closed = false;
  /** The latest session, even if it has ended. */
  #latest: SessionResources | undefined;
  /** Redactors of the sessions that have ended. */
  readonly #hidEarlier: Redactor[] = [];

  /** A session that tries something out is no run of its plugin's that others should know of. */
  constructor(
    bus: EventBus,
    { keepsHistory = true, openSideSession }: { keepsHistory?: boolean; openSideSession: OpenSideSession },
  ) {
    this.#bus = bus;
    this.#openSideSession = openSideSession;
    this.#keepsHistory = keepsHistory;
  }

  /** The harness actor, whose slots look their session up here. */
  attach(actor: HarnessActor): void {
    this.#actor = actor;
  }

  get live(): SessionResources {
    return this.#onStage!.live;
  }

  /** Fingerprints are for drift, which only matters where people work on. */
  get takesFingerprints(): boolean {
    return this.#onStage?.mode === "session";
  }

  /** Counts an operation of PTH's own for the session that is active, if one is. */
  timed(operation: string, milliseconds: number): void {
    this.#onStage?.live.progress.operations.note(operation, milliseconds);
  }

  /** Takes out the secrets of the latest session, also once it has ended. */
  hideSecrets(text: string): string {
    return this.#latest?.secrets.redact.text(text) ?? text;
  }

  /** Takes out the secrets of all sessions that there were: what was heard in an earlier one may still be told. */
  hideEverySecret(text: string): string {
    return this.#hidEarlier.reduce((hidden, redact) => redact.text(hidden), this.hideSecrets(text));
  }

  /** @throws {PthError} `SESSION_ACTIVE`, `INTERRUPTED`, and what making the source fails with */
  async start(target: SessionTarget, options: StartRequest, resume?: FoundSession): Promise<SessionInfo> {
    return await withProgress(this.#bus, options, () => this.#start(target, options, resume));
  }

  async #start(target: SessionTarget, options: StartRequest, resume?: FoundSession): Promise<SessionInfo> {
    const entered = this.#enter(target, options.mode ?? "session");
    this.#entering = entered.catch(() => undefined); // its caller hears of it
    const stage = await entered;
    const { live } = stage;
    live.code.resume = resume;
    live.code.resumed = resume?.state;
    live.code.line.begin(codeCommits(resume));
    const failure = await this.#open(stage, target, options);
    if (failure) throw failure.error ?? new PthError("INTERRUPTED", "Cannot start session: it was ended");
    if (stage.mode === "session") await this.#recommend(live, options.signal);
    stage.context = {
      live,
      actor: this.#harness.getSnapshot().context.session!,
      on: this.#bus.on,
      callers: new Map(),
      openSideSession: this.#openSideSession,
      ...testStores(),
      ...(this.#keepsHistory ? { history: sessionHistory(live) } : {}),
    };
    recallMeasurements(stage.context, resume?.state);
    publishEmitted(stage.context.actor, this.#bus.publish);
    stage.commands = guardWhileIterating(stage.context, sessionCommands(stage.context));
    for (const note of live.code.source?.notes ?? []) live.progress.note(note);
    const session = sessionInfo(live, "active");
    this.#bus.publish({ type: "harness.activated", session });
    return session;
  }

  /** Safe in every state; without a session there is nothing to tell. */
  async end(options: EndOptions): Promise<EndReport> {
    await this.#entering;
    if (!this.#onStage) return { branchKept: false, commits: 0, leftBehind: [], kept: [] };
    const { context, ended, phase } = this.#onStage;
    if (phase === "entering") this.#onStage.phase = "called off";
    const exported = context ? await closeSession(context, options) : {};
    this.#harness.send({ type: "harness.end", keep: options.keep ?? false });
    const { end } = await ended;
    return {
      branchKept: end?.branchKept ?? false,
      commits: end?.commits ?? 0,
      leftBehind: end?.leftBehind ?? [],
      kept: end?.kept ?? [],
      ...(end?.branch === undefined ? {} : { branch: end.branch }),
      ...(end?.changes === undefined ? {} : { changes: end.changes }),
      ...(end?.repository === undefined ? {} : { repository: end.repository }),
      ...exported,
    };
  }

  /** Ends the session for good: a request to start that is still on its way is refused. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.end({});
  }

  /** @throws {PthError} `NO_SESSION` */
  commands(): Session {
    if (this.#onStage?.commands) return this.#onStage.commands;
    throw new PthError("NO_SESSION", "Cannot go on: no session is active", {
      next: [{ mcp: "Start one: pth_start_session({ pluginPath })" }],
    });
  }

  /** State that the session's commands share; while there is no session, fails as `commands` does. */
  get context(): SessionParts {
    this.commands();
    return this.#onStage!.context!;
  }

  get #harness(): HarnessActor {
    return this.#actor!;
  }

  /** Takes the stage, before anything is made. */
  async #enter(target: SessionTarget, mode: OnStage["mode"]): Promise<OnStage> {
    this.refuseSecond();
    if (this.#closed) throw new PthError("INTERRUPTED", "Cannot start session: PTH is ending");
    const sessionId = crypto.randomUUID().slice(0, 8);
    const register = await openRegister(sessionId);
    try {
      this.refuseSecond();
    } catch (error) {
      await register.close();
      throw error;
    }
    const live = makeResources({
      sessionId,
      target,
      register,
      mode,
      publish: this.#bus.publish,
      decided: () => this.#harness.getSnapshot().context.session?.getSnapshot().context,
      explain: async (live, thrown) =>
        await (await import("../../actors/explain_failure.ts")).explainFailure(live, thrown),
    });
    if (this.#latest?.secrets.hides) this.#hidEarlier.push(this.#latest.secrets.redact);
    this.#latest = live;
    this.#onStage = { live, mode, ...this.#ended(), phase: "entering" };
    return this.#onStage;
  }

  /** Finds what the plugin asks for, to tell it with the session; one that says nonsense gets none. */
  async #recommend(live: SessionResources, signal: AbortSignal | undefined): Promise<void> {
    try {
      const { recommendation } = await import("../../actors/session/recommendation.ts");
      const { proposeForSession } = await import("../../actors/session/propose_for_session.ts");
      await recommendation(live);
      await proposeForSession(live);
      signal?.throwIfAborted();
    } catch (error) {
      await this.end({});
      throw error;
    }
  }

  /** Asks the harness to start; resolves to the failure, if it is one. */
  async #open(stage: OnStage, target: SessionTarget, options: StartRequest): Promise<Ended | void> {
    const { live, mode, ended } = stage;
    const { signal, force = false } = options;
    try {
      if (mode === "session") live.detected.superpowers = await findSuperpowers();
    } catch (error) {
      await callOff(stage);
      throw error;
    }
    if (stage.phase === "called off") return await callOff(stage);
    stage.phase = "known to the harness";
    const opened = this.#activated();
    const abort = () => this.#harness.send({ type: "harness.end", keep: false });
    signal?.addEventListener("abort", abort, { once: true });
    this.#harness.send({
      type: "harness.start",
      session: { sessionId: live.sessionId, target: withoutSecrets(target), mode, force },
    });
    // A signal that fired before is not heard by listeners.
    if (signal?.aborted) abort();
    const failure = await Promise.race([opened.fact, ended]);
    opened.forget();
    signal?.removeEventListener("abort", abort);
    return failure;
  }

  #activated(): { fact: Promise<void>; forget: () => void } {
    let forget = () => {};
    const fact = new Promise<void>((resolve) => {
      const subscription = this.#harness.on("harness.activated", () => resolve());
      forget = () => subscription.unsubscribe();
    });
    return { fact, forget };
  }

  #ended(): Pick<OnStage, "ended" | "leave"> {
    let resolve: (how: Ended) => void;
    const ended = new Promise<Ended>((settle) => resolve = settle);
    const off = (how: Ended) => {
      subscription.unsubscribe();
      this.#onStage = undefined;
      resolve(how);
      this.#bus.publish({ type: "harness.deactivated" });
    };
    const subscription = this.#harness.on("harness.deactivated", ({ end, error }) => off({ end, error }));
    return { ended, leave: () => off({ end: undefined, error: undefined }) };
  }

  /** @throws {PthError} `SESSION_ACTIVE` */
  refuseSecond(): void {
    if (!this.#onStage) return;
    const { sessionId } = this.#onStage.live;
    throw new PthError("SESSION_ACTIVE", `Cannot start session: session ${sessionId} is active`, {
      next: [{ mcp: "End it first: pth_end_session" }],
    });
  }
}

/** Discards a session of which nothing was made yet but its register entry. */
async function callOff({ live, leave }: OnStage): Promise<Ended> {
  try {
    await live.register.close();
  } finally {
    leave();
  }
  return { end: undefined, error: undefined };
}

/** Takes over the measurements that an interrupted session had made. */
function recallMeasurements({ measurements }: SessionParts, state: SessionState | undefined): void {
  const { matrix, performance, measuredOf } = state ?? {};
  measurements.reports = definedOnly({ matrix, performance });
  measurements.commits = measuredOf;
}

/** Commits of a branch that changed the plugin's code, oldest first. */
const codeCommits = (resume: FoundSession | undefined): string[] =>
  (resume?.history ?? []).filter(({ type }) => ["fix", "revert", "other"].includes(type))
    .map(({ commit }) => commit).toReversed();

/** Machines are recorded and drawn: of secrets they get the names only. */
const withoutSecrets = ({ secrets, ...target }: SessionTarget): SessionTarget => ({
  ...target,
  ...(secrets ? { secrets: Object.fromEntries(Object.keys(secrets).map((name) => [name, redacted])) } : {}),
});
