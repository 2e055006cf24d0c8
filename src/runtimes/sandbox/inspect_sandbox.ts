/** Reports on a sandbox: health, inspection. */
import type {
  EnvironmentHandle,
  EnvironmentState,
  HealthReport,
} from "../../../machines/model/environment.ts";
import { readLink } from "../../platform/files.ts";
import { goneHealth, healthScript, parseHealth } from "../shared/health.ts";
import { limitsOf } from "../shared/limits.ts";
import {
  type InspectOptions,
  inspectScript,
  nothingInside,
  parseInspection,
} from "../shared/inspect_script.ts";
import { allPids } from "../../platform/proc.ts";
import { usageOf } from "./limiter.ts";
import { unfilteredReason } from "./confine/filtered_command.ts";
import { execIn } from "./exec_in_sandbox.ts";
import { sandboxStatus } from "./provision.ts";
import { sandboxOf } from "./sandbox_state.ts";

const script = async (handle: EnvironmentHandle, text: string): Promise<string> =>
  (await execIn(handle, ["sh", "-c", text], { cwd: "/" })).stdout;

export async function sandboxHealth(handle: EnvironmentHandle): Promise<HealthReport> {
  if (await sandboxStatus(handle) !== "running") return goneHealth("The sandbox has ended");
  const { limiter, method, spec } = sandboxOf(handle);
  return parseHealth(
    await script(handle, healthScript()),
    await usageOf(limiter.groups, spec.resources.memoryMB, method.data === "memory"),
  );
}

const unfilteredNote = async (): Promise<string> =>
  "System calls are not filtered, so keyrings and VM sockets of the host are in reach: " +
  (await unfilteredReason() ?? "no sandbox starts here under a filter");

export async function inspectSandbox(
  handle: EnvironmentHandle,
  options?: InspectOptions,
): Promise<EnvironmentState> {
  const status = await sandboxStatus(handle);
  const { spec, limiter, diskEnforced, method } = sandboxOf(handle);
  return {
    ...(status === "running" ? parseInspection(await script(handle, inspectScript(options))) : nothingInside),
    runtime: "sandbox",
    tier: handle.tier,
    image: handle.image,
    status,
    sourcePath: handle.sourcePath,
    limits: [
      ...limitsOf(spec.resources, { ...limiter.enforced, disk: diskEnforced }),
      ...(limiter.pids === undefined ? [] : [{ name: "pids", value: limiter.pids, enforced: true }]),
    ],
    network: spec.network === "none"
      ? "none: a loopback of its own only"
      : "shared with the host: a port inside is a port of the host",
    ...(method.filtered ? {} : { notes: [await unfilteredNote()] }),
  };
}

/** The host's pids of what runs inside. */
export async function pidsInside(handle: EnvironmentHandle): Promise<number[]> {
  const space = (pid: number) => readLink(`/proc/${pid}/ns/pid`).catch(() => ""); // ended, or another user's
  const own = await space(sandboxOf(handle).life.init.pid);
  const spaces = await Promise.all((await allPids()).map(async (pid) => ({ pid, space: await space(pid) })));
  return spaces.filter((each) => own !== "" && each.space === own).map(({ pid }) => pid);
}
