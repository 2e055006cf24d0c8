/** Going on with an interrupted session, as plain values. */
import type { ConvergenceTrend } from "./iteration.ts";
import type { StaleResults } from "./stale_results.ts";
import type { EnvironmentInfo, PluginInfo, SessionInfo } from "./session.ts";

export interface ResumeRequest {
  branch: string;
  /** Folder of the plugin; absent: found by the caller's folder and this host's registered sessions. */
  pluginPath?: string;
  /** Make the environment that the session had, and load the plugin. */
  provision?: boolean;
}

/** Test status when the state was saved. */
export interface LastTestStatus {
  total: number;
  passed: number;
  skipped: number;
  /** Set where results are older than the branch's code. */
  stale?: StaleResults;
  failing: { id: string; name?: string; category?: string; cause?: string }[];
}

/** Parts of an interrupted session that were brought back. */
export interface ResumedWork {
  environment: EnvironmentInfo;
  /** Absent where its secrets are not known. */
  plugin: PluginInfo | undefined;
}

export interface ResumedSession {
  session: SessionInfo;
  /** Number of the latest iteration; 0 before the first. */
  iteration: number;
  /** ISO time of the checkpoint; absent where there is none to read. */
  savedAt?: string;
  /** Absent where no result was saved. */
  standing?: LastTestStatus;
  /** Absent where it was not saved. */
  trend?: ConvergenceTrend;
  /** Commits of the branch by their type; reverted fixes are counted among the fixes. */
  commits: { fixes: number; reverts: number; others: number };
  /** Tests that were read from `.pth/tests`. */
  tests: number;
  /** Tools that no test is for; only once the plugin is loaded. */
  untestedTools?: string[];
  /** Things that are lost, or not as before. */
  degraded: string[];
  environment?: EnvironmentInfo;
  plugin?: PluginInfo;
  /** Calls that go on from here. */
  next: string[];
}
