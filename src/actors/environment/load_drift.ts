/** Drift of a session's environment since it was provisioned, and the share of it that the plugin's own load caused. */
import type { DriftReport, EnvironmentFingerprint } from "../../../machines/model/environment.ts";
import { errorMessage, PthError } from "../../core/errors.ts";
import { log } from "../../platform/log.ts";
import { compareFingerprints, markLoaded } from "../../runtimes/drift/compare_fingerprints.ts";
import type { SessionResources } from "../session_resources.ts";

/** @throws {PthError} `NOT_NOW` where no fingerprint was taken; what the runtime fails with */
export async function driftSinceProvisioning(live: SessionResources): Promise<DriftReport> {
  const { runtime, info, baseline, loadDrift } = live.environment.require();
  if (baseline === undefined) {
    throw new PthError(
      "NOT_NOW",
      "Cannot check drift: no fingerprint was taken when the environment was provisioned",
    );
  }
  // One picture for both comparisons: taking it is what costs.
  const now = await runtime.fingerprint(info.handle);
  const report = withoutServers(compareFingerprints(baseline, now), live);
  if (!report.drifted || loadDrift === undefined) return report;
  return markLoaded(report, loadDrift.changed, compareFingerprints(loadDrift.after, now));
}

/** Removes the servers that PTH itself has started, the plugin's and its dependencies': they belong to the environment. */
function withoutServers(
  report: DriftReport,
  { plugin: { dependencies }, connections: { serverPorts } }: SessionResources,
): DriftReport {
  const ports = new Set([
    ...[...serverPorts].map((port) => `tcp/${port}`),
    ...[...dependencies.values()].flatMap(({ plan }) =>
      plan?.server.type === "http" ? [`tcp/${plan.server.port}`] : []
    ),
  ]);
  const changes = report.changes.filter(({ group, name }) => group !== "port" || !ports.has(name));
  return { ...report, drifted: changes.length > 0, changes };
}

/**
 * Notes how the environment is before its first load, to keep what that changes: a new environment would have that, too. What
 * people did by hand before is none of it.
 */
export async function beginLoadDrift(live: SessionResources): Promise<void> {
  const { current: environment } = live.environment;
  if (environment?.baseline === undefined || environment.loadDrift) return;
  environment.beforeLoad = environment.touched ? await fingerprintNow(live) : environment.baseline;
}

/** Keeps what the load changed since `beginLoadDrift`. */
export async function endLoadDrift(live: SessionResources): Promise<void> {
  const { current: environment } = live.environment;
  const before = environment?.beforeLoad;
  if (environment === undefined || before === undefined) return;
  environment.beforeLoad = undefined;
  const after = await fingerprintNow(live);
  if (after && live.environment.current === environment) {
    environment.loadDrift = { changed: compareFingerprints(before, after), after };
  }
}

/** Without one, all that the load changes counts as drift. */
async function fingerprintNow(live: SessionResources): Promise<EnvironmentFingerprint | undefined> {
  const { runtime, info } = live.environment.require();
  try {
    return await runtime.fingerprint(info.handle);
  } catch (error) {
    log.warn("Cannot take a fingerprint around the load", { error: errorMessage(error) });
    return undefined;
  }
}
