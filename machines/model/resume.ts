/** Going on with an interrupted session, as plain values. */
import type { ConvergenceTrend } from "./iteration.ts";
import type { StaleResults } from "./stale_results.ts";
import type { EnvironmentInfo, PluginInfo, SessionInfo } from "./session.ts";

export interface ResumeRequest {
  branch: string;
  /** Where the plugin is; absent: found by the caller's folder and by the sessions that this machine knows. */
  pluginPath?: string;
  /** Make the environment that the session had, and load the plugin. */
  provision?: boolean;
}

/** Where the tests stood when the state was saved. */
export interface LastTestStatus {
  total: number;
  passed: number;
  skipped: number;
  /** Set where results are older than the branch's code. */
  stale?: StaleResults;
  failing: { id: string; name?: string; category?: string; cause?: string }[];
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
  /** What is lost, or not as it was. */
  degraded: string[];
  environment?: EnvironmentInfo;
  plugin?: PluginInfo;
  /** Calls that go on from here. */
  next: string[];
}
