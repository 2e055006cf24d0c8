/**
 * The living things of a session that machines know by id only: runtime, connections, secrets, register.
 *
 * Machines hold plain data, so that they can be walked, recorded and drawn; actors look things up here.
 */
import type { RelayEnds } from "../api/requests.ts";
import type {
  DriftReport,
  EnvironmentConfig,
  EnvironmentFingerprint,
  EnvironmentHandle,
  HealthReport,
  TierRecommendation,
} from "../../machines/model/environment.ts";
import type { ServiceProposals } from "../../machines/model/service_proposal.ts";
import type { PluginPlan, ToolDefinition } from "../../machines/model/plugin.ts";
import type {
  EnvironmentInfo,
  SessionNote,
  SessionSource,
  SessionTarget,
  SuperpowersInstall,
  Timings,
} from "../../machines/model/session.ts";
import type { StaleResults } from "../../machines/model/stale_results.ts";
import type { TestResult } from "../../machines/model/test_result.ts";
import type { Connection } from "../client/connection.ts";
import type { Era } from "../client/initialize_connection.ts";
import { FailureEvidence } from "../testing/evidence/failure_evidence.ts";
import { errorMessage, PthError } from "../core/errors.ts";
import { raceAbort } from "../core/waiting.ts";
import type { AskConfig, PublishedEvent } from "../api/harness.ts";
import { randomPort } from "../platform/sockets.ts";
import { retryBudget } from "../platform/retry.ts";
import { CaptureStore } from "../testing/evidence/capture_store.ts";
import { OperationTimings } from "./session/operation_timings.ts";
import type { CompanionServices } from "../runtimes/fixtures/companion_services.ts";
import type { EnvironmentRuntime } from "../runtimes/runtime.ts";
import { WarmPool } from "../runtimes/warm_pool/warm_pool.ts";
import { judgedSince } from "../runtimes/shared/health.ts";
import { CodeLine } from "../session/code_line.ts";
import { makeRedactor, redactError, type Redactor } from "../core/redact.ts";
import type { FoundSession } from "../session/resume/find_session.ts";
import type { SessionRegister } from "../registry/register.ts";
import type { CoverageRun } from "../testing/coverage/coverage_run.ts";
import { definedOnly } from "../core/values.ts";
import type { LiveDependency } from "./plugin/live_dependency.ts";
import type { Finding } from "../../machines/model/verdict.ts";
import type { SessionState } from "../../machines/model/saved_state.ts";

export interface LiveEnvironment {
  runtime: EnvironmentRuntime;
  info: EnvironmentInfo;
  /** Taken when it was provisioned, for drift; only in sessions. */
  baseline: EnvironmentFingerprint | undefined;
  /** What the plugin's first load changed. */
  loadDrift?: LoadDrift;
  /** Somebody ran commands or copied files by hand. */
  touched?: boolean;
  /** What its fixtures started beside the plugin. */
  services?: CompanionServices;
}

/** So much of one is needed to remove it. */
export type AbandonedEnvironment = Pick<LiveEnvironment, "runtime" | "services"> & {
  info: Pick<EnvironmentInfo, "handle">;
};

/** How long work that was asked to stop is waited for, in ms; what it works in is then taken from under it. */
const settleLimitMs = 30_000;

/** Of a line that does not end, this many characters are remembered. */
const longestLine = 64 * 1024;

export class SessionResources {
  readonly sessionId: string;
  readonly target: SessionTarget;
  readonly register: SessionRegister;
  readonly publish: (fact: PublishedEvent) => void;
  readonly connections = new Map<string, Connection>();
  readonly timings: Timings = {};
  /** Real values of secret variables; machines and reports only ever see their names. */
  readonly secrets = new Map<string, string>();
  /** Those of them whose values the plugin's own files tell: each load reads them anew. */
  readonly declaredSecrets = new Set<string>();
  /** Values, none of them secret, that a person was asked for. */
  readonly asked: Record<string, string> = {};
  /** Names of variables, secret or not, whose values came from a person who was asked. */
  readonly askedFor = new Set<string>();
  /** Other plugins that run beside the one under test, by name. */
  readonly dependencies = new Map<string, LiveDependency>();
  source: SessionSource | undefined;
  /** The plugin of that name in the developer's Claude Code. */
  superpowers: SuperpowersInstall | undefined;
  tools: ToolDefinition[] = [];
  /** Those that the server lists to clients that offer more (elicitation, roots, sampling); latest listing. */
  moreTools: ToolDefinition[] = [];
  /** Variables of the server that are no secret. */
  variables: Record<string, string> = {};
  /** Where each variable came from, secrets as "[REDACTED]". */
  config: { name: string; value: string; source: string }[] = [];
  /** What the server runs from. */
  plan: PluginPlan | undefined;
  /** What a load or a reload prepares: the server that still runs has nothing to do with it. */
  draft: PluginPlan | undefined;
  lastBuildOutput = "";
  /** Protocol era of the server, once one instance has answered. */
  era: Era = "auto";
  /** What was seen of tests whose latest run failed. */
  readonly failures = new FailureEvidence();
  /** What was said in tests that did not fail. */
  readonly captures = new CaptureStore();
  readonly operations = new OperationTimings();
  /** What the latest load or reload of the plugin ended in, if it failed. */
  loadFailure: PthError | undefined;
  /** Faults of the server that show outside of tests. */
  readonly findings: Finding[] = [];
  /** Snapshots taken before risky fixes, by the fix's commit; each belongs to one of the session's environments. */
  readonly fixSnapshots = new Map<string, { snapshot: string; environment: number }>();
  /** Adds facts and ways out to a failure; where nobody is there to take them, it stays as it is. */
  explain: (error: unknown) => Promise<unknown> = (error) => Promise.resolve(error);
  /** Fires when the session ends: for work beside its machine, which the machine does not stop. */
  readonly closing = new AbortController();
  /** The states of the plugin's code that fixes and reverts made, and which of them runs. */
  readonly code = new CodeLine();
  /** Of the request whose work on the branch is under way; fires when it is cancelled. */
  workSignal: AbortSignal | undefined;
  /** Who can be asked for configuration while the loop is under way. */
  askConfig: AskConfig | undefined;
  /** The interrupted session that this one is to go on with. */
  resume: FoundSession | undefined;
  /** Where the session stood that was interrupted and goes on in this one. */
  resumed: SessionState | undefined;
  /** Snapshots of the session's environments, and when each was taken. */
  readonly snapshots = new Map<string, { tag: string; takenAt: string; environment: number }>();
  /** Each connection's latest call that was answered without an error. */
  readonly lastCalls = new Map<string, { tool: string; at: string }>();
  /** Where ports for the servers of this session are looked for; another session looks elsewhere. */
  readonly firstPort: number = randomPort();
  /** Ports inside that PTH gave to instances of the plugin's server. */
  readonly serverPorts = new Set<number>();
  /** Out-of-memory kills that had been told before the latest suite. */
  killsBefore = 0;
  /** How the environment was when it was last looked at. */
  resources: { at: string; health: HealthReport } | undefined;
  /** Environments that were given up because they could not be destroyed; tried again at the end. */
  readonly abandoned: AbandonedEnvironment[] = [];
  /** Started ahead; see `spare_environments.ts`. */
  readonly spares = new WarmPool<EnvironmentHandle>();
  sparesMade = 0;
  /** What the latest environment was asked to be, also once it is gone. */
  environmentConfig: EnvironmentConfig | undefined;
  /** Its tier was given, and not chosen. */
  tierAsked = false;
  /** What the plugin's source was last seen to ask for. */
  recommendation: TierRecommendation | undefined;
  /** What its source seems to need beside it. */
  serviceProposals: ServiceProposals | undefined;
  mode: "run" | "session" = "session";
  /** How often what may be over in a moment is tried again. */
  retries: number = retryBudget();
  /** Limit for a server's start and handshake, in ms. */
  startTimeoutMs = 60_000;
  /** Servers that start from now on are to be measured. */
  coverageWanted = false;
  /** What measures the server that runs. */
  coverage: CoverageRun | undefined;
  /** Why nothing does, though it is wanted. */
  coverageProblem: string | undefined;
  /** The suite that runs is measured test by test. */
  measuring = false;
  coverageRuns = 0;
  /** Count the environments and the checks of this session. */
  environments = 0;
  checks = 0;
  relays = 0;
  /** Clients that speak to a server of their own, by the id that their operation names. */
  readonly relayEnds = new Map<string, RelayEnds>();
  #environment: LiveEnvironment | undefined;
  /** All values that ever were secret: a server may still tell an old one. */
  readonly #hidden = new Set<string>();
  #redact: Redactor | undefined;
  readonly #underway = new Set<Promise<unknown>>();

  constructor(
    sessionId: string,
    target: SessionTarget,
    register: SessionRegister,
    publish: (fact: PublishedEvent) => void,
  ) {
    this.sessionId = sessionId;
    this.target = target;
    this.register = register;
    this.publish = publish;
    for (const [name, value] of Object.entries(target.secrets ?? {})) this.addSecret(name, value);
  }

  addSecret(name: string, value: string): void {
    this.secrets.set(name, value);
    this.declaredSecrets.delete(name);
    this.hide(value);
  }

  /** From now on the value is taken out of all that is told. */
  hide(value: string): void {
    this.#hidden.add(value);
    this.#redact = undefined;
  }

  /** There is something to be taken out. */
  get hides(): boolean {
    return this.#hidden.size > 0;
  }

  /** Takes secrets out of text and of plain values. */
  get redact(): Redactor {
    return this.#redact ??= makeRedactor([...this.#hidden]);
  }

  /** Variables by which services and dependencies can be found: all of them, or those that start before the one named. */
  announcedBefore(name?: string): Record<string, string> {
    const wanted = this.#environment?.info.config.dependencyPlugins?.map((one) => one.name) ?? [];
    const before = name === undefined ? wanted : wanted.slice(0, Math.max(0, wanted.indexOf(name)));
    const { announced } = this.#environment?.services ?? {};
    return Object.assign({}, announced, ...before.map((one) => this.dependencies.get(one!)?.announced));
  }

  /** An error tells raw output, and raw output may tell a secret. */
  withoutSecrets(error: unknown): unknown {
    return redactError(error, this.redact);
  }

  set environment(environment: LiveEnvironment | undefined) {
    this.#environment = environment;
    if (environment) this.environmentConfig = environment.info.config;
  }

  get environment(): LiveEnvironment | undefined {
    return this.#environment;
  }

  /** The commit and environment of a test that runs now, for its result. */
  get runsOn(): Pick<TestResult, "commit" | "environmentId"> {
    return definedOnly({
      commit: this.code.running(this.source?.base),
      environmentId: this.#environment?.info.handle.environmentId,
    });
  }

  /** Undefined where the results tell of the plugin's code as the branch has it. */
  stale(results: readonly Pick<TestResult, "commit">[]): StaleResults | undefined {
    return this.code.stale(results, this.loadFailure?.message);
  }

  /** @throws {PthError} `NOT_NOW` */
  requireEnvironment(): LiveEnvironment {
    if (this.#environment) return this.#environment;
    throw new PthError("NOT_NOW", "Cannot reach environment: there is none", {
      next: [{ mcp: "Provision one first: pth_provision_environment" }],
    });
  }

  /** Folder of the plugin inside the environment, once it is known. */
  get pluginFolder(): string | undefined {
    return (this.plan ?? this.draft)?.folder;
  }

  /** @throws {PthError} `NOT_NOW` */
  requirePlan(): PluginPlan {
    if (this.plan) return this.plan;
    throw new PthError("NOT_NOW", "Cannot start server: the plugin is not loaded", {
      next: [{ mcp: "Load it first: pth_load_plugin" }],
    });
  }

  /** @throws {PthError} `SERVER_LOST` */
  requireConnection(connectionId: string): Connection {
    const connection = this.connections.get(connectionId);
    if (connection) return connection;
    throw new PthError("SERVER_LOST", `Cannot reach server: ${connectionId} is closed`);
  }

  /** Runs one step of long work, telling when it starts and how it ends. */
  async step<T>(
    phase: string,
    message: string,
    work: () => Promise<T>,
    done?: (result: T) => string,
  ): Promise<T> {
    const started = performance.now();
    const hide = this.redact.text;
    this.publish({ type: "step.started", phase, message: hide(message) });
    try {
      const result = await work();
      const durationMs = performance.now() - started;
      const key = `${phase}_ms`;
      this.operations.note(phase, durationMs);
      if (isTiming(key)) this.timings[key] = Math.round(durationMs);
      this.publish({ type: "step.finished", phase, message: hide(done?.(result) ?? message), durationMs });
      return result;
    } catch (error) {
      this.publish({ type: "step.failed", phase, error: this.withoutSecrets(error) });
      throw error;
    }
  }

  /** Takes what a step says, one message at a time. */
  messages(phase: string): (text: string) => void {
    return (text) => this.publish({ type: "step.output", phase, text: this.redact.text(text) });
  }

  /** Takes output as it comes. What is no whole line yet is held back: a secret may lie across two pieces. */
  output(phase: string): (text: string, stream?: string) => void {
    const publish = this.messages(phase);
    const begun = new Map<string, string>();
    return (text, stream = "") => {
      const all = (begun.get(stream) ?? "") + text;
      const end = Math.max(all.lastIndexOf("\n"), all.lastIndexOf("\r")) + 1;
      begun.set(stream, this.#endOf(all.slice(end)));
      if (end > 0) publish(all.slice(0, end));
    };
  }

  /** What is kept of a line that does not end. A cut must not go through a secret, which would not be known any more. */
  #endOf(line: string): string {
    return line.length <= longestLine ? line : this.redact.text(line).slice(-longestLine);
  }

  note(note: SessionNote): void {
    const { terminal, mcp } = typeof note === "string" ? { terminal: note } : note;
    const message = this.redact.text(terminal);
    const other = mcp === undefined ? {} : { mcp: this.redact.text(mcp) };
    this.publish({ type: "session.noted", message, ...other });
  }

  /** Another one takes its place; at the end it is tried again. */
  abandonEnvironment(why: unknown): void {
    const environment = this.requireEnvironment();
    this.abandoned.push(environment);
    this.environment = undefined;
    const { environmentId } = environment.info.handle;
    this.note(
      `Environment ${environmentId} could not be destroyed and is left behind: ${
        errorMessage(why)
      }. It is tried again when ` +
        "the session ends; after that, pth clean removes it.",
    );
  }

  /** Asks how the environment is; the answer is kept for the time when it cannot be asked any more. */
  async lookAtResources(): Promise<HealthReport> {
    const { runtime, info, baseline, services } = this.requireEnvironment();
    const news = judgedSince(await runtime.healthCheck(info.handle), {
      oomKills: this.killsBefore,
      failedUnits: baseline?.failedUnits ?? [],
    });
    const health = withProblems(news, await services?.problems() ?? []);
    this.resources = { at: new Date().toISOString(), health };
    return health;
  }

  /** Remembers work that must have ended before anything is torn down. */
  track<T>(work: Promise<T>): Promise<T> {
    this.#underway.add(work);
    const forget = () => this.#underway.delete(work);
    work.then(forget, forget);
    return work;
  }

  /**
   * Waits until all tracked work has ended, well or badly, and no longer than `limitMs`.
   * @returns false where some of it goes on
   */
  async settled(limitMs = settleLimitMs): Promise<boolean> {
    if (this.#underway.size === 0) return true;
    const ended = Promise.allSettled([...this.#underway]).then(() => true);
    return await raceAbort(ended, AbortSignal.timeout(limitMs)) === true;
  }
}

/** What does not run any more comes before what is scarce. */
const withProblems = (health: HealthReport, problems: string[]): HealthReport =>
  problems.length === 0 ? health : { ...health, healthy: false, problems: [...problems, ...health.problems] };

const timingKeys = ["provision_ms", "install_ms", "build_ms", "start_ms", "suite_ms"] as const;
const isTiming = (key: string): key is typeof timingKeys[number] =>
  (timingKeys as readonly string[]).includes(key);

/** What the first load changed. */
export interface LoadDrift {
  changed: DriftReport;
  /** The environment right after it. */
  after: EnvironmentFingerprint;
}
