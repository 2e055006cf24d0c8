/**
 * The resources of a session that machines know by id only, in stores of one concern each.
 *
 * Machines hold plain data, so that they can be walked, recorded and drawn; actors look things up here.
 */
import type { SessionSource, SessionTarget, SuperpowersInstall } from "../../machines/model/session.ts";
import type { PublishedEvent } from "../api/harness.ts";
import { retryBudget } from "../platform/retry.ts";
import type { SessionRegister } from "../registry/register.ts";
import { ConnectionTable } from "./stores/connection_table.ts";
import { CoverageState } from "./stores/coverage_state.ts";
import { EnvironmentHolder } from "./stores/environment_holder.ts";
import { EvidenceStore } from "./stores/evidence_store.ts";
import { PluginRuntime, type ReadSession } from "./stores/plugin_runtime.ts";
import { ProgressReporter } from "./stores/progress_reporter.ts";
import { SecretVault } from "./stores/secret_vault.ts";
import { TaskTracker } from "./stores/task_tracker.ts";
import type { TierRecommendation } from "../../machines/model/environment.ts";
import type { ServiceProposals } from "../../machines/model/service_proposal.ts";
import type { SessionState } from "../../machines/model/session_state.ts";
import { CodeLine } from "../session/code_line.ts";
import type { FoundSession } from "../session/resume/find_session.ts";

export interface SessionResources {
  readonly sessionId: string;
  readonly target: SessionTarget;
  readonly mode: "run" | "session";
  readonly register: SessionRegister;
  readonly secrets: SecretVault;
  readonly progress: ProgressReporter;
  readonly code: SessionCode;
  readonly detected: DetectedFacts;
  readonly environment: EnvironmentHolder;
  readonly snapshots: SnapshotStore;
  readonly plugin: PluginRuntime;
  readonly connections: ConnectionTable;
  readonly evidence: EvidenceStore;
  readonly coverage: CoverageState;
  readonly questions: ConfigQuestions;
  readonly tasks: TaskTracker;
  readonly limits: SessionLimits;
  readonly decided: ReadSession;
  /** Adds facts and next steps to a failure. */
  readonly explain: (error: unknown) => Promise<unknown>;
}

interface SessionLimits {
  /** Number of retries after a transient error. */
  retries: number;
}

export interface ResourcesInput {
  sessionId: string;
  target: SessionTarget;
  register: SessionRegister;
  publish: (event: PublishedEvent) => void;
  /** Default: "session". */
  mode?: "run" | "session";
  /** Default: nothing is decided yet. */
  decided?: ReadSession;
  /** Default: failures stay as they are. */
  explain?: (resources: SessionResources, error: unknown) => Promise<unknown>;
}

/** Makes the empty stores of a session that begins. */
export function makeResources(
  {
    sessionId,
    target,
    register,
    publish,
    mode = "session",
    decided = () => undefined,
    explain = (_resources, error) => Promise.resolve(error),
  }: ResourcesInput,
): SessionResources {
  const secrets = new SecretVault(target.secrets);
  const progress = new ProgressReporter(secrets, publish);
  const resources: SessionResources = {
    sessionId,
    target,
    mode,
    register,
    secrets,
    progress,
    code: new SessionCode(),
    detected: { tier: undefined, services: undefined, superpowers: undefined },
    environment: new EnvironmentHolder(progress),
    snapshots: new SnapshotStore(),
    plugin: new PluginRuntime(decided),
    connections: new ConnectionTable(),
    evidence: new EvidenceStore(),
    coverage: new CoverageState(),
    questions: new ConfigQuestions(),
    tasks: new TaskTracker(),
    decided,
    limits: { retries: retryBudget() },
    explain: (error) => explain(resources, error),
  };
  return resources;
}

/** Snapshots of a session's environments. */
class SnapshotStore {
  /** All snapshots by name; `environment` is the number of the one it belongs to. */
  readonly taken = new Map<string, { tag: string; takenAt: string; environment: number }>();
  /** Snapshots taken before risky fixes, by the fix's commit. */
  readonly beforeFixes = new Map<string, { snapshot: string; environment: number }>();
}

/** Questions for configuration that were put to a person. */
class ConfigQuestions {
  /** Answers by variable; none of them secret. */
  readonly answers: Record<string, string> = {};
  /** Variables, secret or not, whose values are answers. */
  readonly answered = new Set<string>();
}

/** Facts about the plugin and this machine that were detected when the session opened. */
interface DetectedFacts {
  /** Environment tier that the plugin's source asks for. */
  tier: TierRecommendation | undefined;
  /** Services that the plugin's source seems to need. */
  services: ServiceProposals | undefined;
  /** The plugin of that name in the developer's Claude Code. */
  superpowers: SuperpowersInstall | undefined;
}

/** The plugin's code in a session: its copy, the commits made on it, and the session that it was resumed from. */
class SessionCode {
  source: SessionSource | undefined;
  /** Fixes and reverts of the branch, and which of them the server runs. */
  readonly line = new CodeLine();
  /** The interrupted session that this one resumes. */
  resume: FoundSession | undefined;
  /** State that the interrupted session had saved. */
  resumed: SessionState | undefined;
}
