/** The environment of a session, and what is left of those before it. */
import type {
  DriftReport,
  EnvironmentFingerprint,
  EnvironmentHandle,
  HealthReport,
} from "../../../machines/model/environment.ts";
import type { EnvironmentInfo } from "../../../machines/model/session.ts";
import { errorMessage, PthError } from "../../core/errors.ts";
import type { InstallFacts } from "../../plugin/installed_trees/tree_access.ts";
import type { CompanionServices } from "../../runtimes/fixtures/companion_services.ts";
import type { EnvironmentRuntime } from "../../runtimes/runtime.ts";
import { judgedSince } from "../../runtimes/shared/health.ts";
import { WarmPool } from "../../runtimes/warm_pool/warm_pool.ts";
import type { ProgressReporter } from "./progress_reporter.ts";

export interface LiveEnvironment {
  readonly runtime: EnvironmentRuntime;
  readonly info: EnvironmentInfo;
  /** Taken when it was provisioned, for drift; only in sessions. */
  readonly baseline: EnvironmentFingerprint | undefined;
  /** Changes made by the plugin's first load. */
  loadDrift?: LoadDrift;
  /** Fingerprint from before the present load. */
  beforeLoad?: EnvironmentFingerprint | undefined;
  /** True once the user ran commands or copied files. */
  touched?: boolean;
  /** True once an install began: code of a plugin may have run in it. */
  ranPlugin?: boolean;
  /** Facts that the first install of the plugin under test found. */
  installFacts?: InstallFacts;
  /** Companion services that its fixtures started. */
  readonly services?: CompanionServices;
}

/** Changes made by the plugin's first load. */
export interface LoadDrift {
  readonly changed: DriftReport;
  /** The environment right after it. */
  readonly after: EnvironmentFingerprint;
}

/** The part of an environment that is needed to remove it. */
export type AbandonedEnvironment = Pick<LiveEnvironment, "runtime" | "services"> & {
  info: Pick<EnvironmentInfo, "handle">;
};

export class EnvironmentHolder {
  current: LiveEnvironment | undefined;
  /** Number of environments that the session had. */
  count = 0;
  /** Out-of-memory kills that were known before the latest suite. */
  killsBefore = 0;
  /** The latest look at its resources. */
  resources: { at: string; health: HealthReport } | undefined;
  /** Environments that could not be destroyed; tried again at the end. */
  readonly abandoned: AbandonedEnvironment[] = [];
  /** Environments started ahead. */
  readonly warm = new WarmPool<EnvironmentHandle>();
  #warmed = 0;
  readonly #progress: ProgressReporter;

  constructor(progress: ProgressReporter) {
    this.#progress = progress;
  }

  /** Number of the next environment that is started ahead, from 1. */
  nextWarm(): number {
    return ++this.#warmed;
  }

  /** @throws {PthError} `NOT_NOW` */
  require(): LiveEnvironment {
    if (this.current) return this.current;
    throw new PthError("NOT_NOW", "Cannot reach environment: there is none", {
      next: [{ mcp: "Provision one first: pth_provision_environment" }],
    });
  }

  /** Gives up one that cannot be destroyed: another takes its place, and the end of the session tries again. */
  abandon(why: unknown): void {
    const environment = this.require();
    this.abandoned.push(environment);
    this.current = undefined;
    const { environmentId } = environment.info.handle;
    this.#progress.note(
      `Environment ${environmentId} could not be destroyed and is left behind: ${errorMessage(why)}. ` +
        "It is tried again when the session ends; after that, pth clean removes it.",
    );
  }

  /** Checks the environment's health; the answer is kept for the time when it cannot be checked any more. */
  async checkHealth(): Promise<HealthReport> {
    const { runtime, info, baseline, services } = this.require();
    const news = judgedSince(await runtime.healthCheck(info.handle), {
      oomKills: this.killsBefore,
      failedUnits: baseline?.failedUnits ?? [],
    });
    const health = withProblems(news, await services?.problems() ?? []);
    this.resources = { at: new Date().toISOString(), health };
    return health;
  }
}

/** Stopped services are listed before scarce resources. */
const withProblems = (health: HealthReport, problems: string[]): HealthReport =>
  problems.length === 0 ? health : { ...health, healthy: false, problems: [...problems, ...health.problems] };
