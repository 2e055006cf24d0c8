/**
 * The resources of a session that machines know by id only, in stores of one concern each.
 *
 * Machines hold plain data, so that they can be walked, recorded and drawn; actors look things up here.
 */
import type { SessionTarget } from "../../machines/model/session.ts";
import type { PublishedEvent } from "../api/harness.ts";
import { retryBudget } from "../platform/retry.ts";
import type { SessionRegister } from "../registry/register.ts";
import { ConfigQuestions } from "./stores/config_questions.ts";
import { ConnectionTable } from "./stores/connection_table.ts";
import { CoverageState } from "./stores/coverage_state.ts";
import type { DetectedFacts } from "./stores/detected_facts.ts";
import { EnvironmentHolder } from "./stores/environment_holder.ts";
import { EvidenceStore } from "./stores/evidence_store.ts";
import { PluginRuntime } from "./stores/plugin_runtime.ts";
import { ProgressReporter } from "./stores/progress_reporter.ts";
import { SecretVault } from "./stores/secret_vault.ts";
import { SessionCode } from "./stores/session_code.ts";
import { SnapshotStore } from "./stores/snapshot_store.ts";
import { TaskTracker } from "./stores/task_tracker.ts";

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
  /** Adds facts and next steps to a failure. */
  readonly explain: (error: unknown) => Promise<unknown>;
}

interface SessionLimits {
  /** Number of retries after a transient error. */
  retries: number;
  /** Limit for a server's start and handshake, in ms. */
  startTimeoutMs: number;
}

export interface ResourcesInput {
  sessionId: string;
  target: SessionTarget;
  register: SessionRegister;
  publish: (event: PublishedEvent) => void;
  /** Default: "session". */
  mode?: "run" | "session";
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
    plugin: new PluginRuntime(),
    connections: new ConnectionTable(),
    evidence: new EvidenceStore(),
    coverage: new CoverageState(),
    questions: new ConfigQuestions(),
    tasks: new TaskTracker(),
    limits: { retries: retryBudget(), startTimeoutMs: 60_000 },
    explain: (error) => explain(resources, error),
  };
  return resources;
}
