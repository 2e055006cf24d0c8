/** Reports on a box: health, inspection. */
import type {
  EnvironmentHandle,
  EnvironmentState,
  HealthReport,
} from "../../../machines/model/environment.ts";
import { readLink } from "../../platform/files.ts";
import { goneHealth, healthScript, parseHealth } from "../shared/health.ts";
import { limitsOf } from "../shared/limits.ts";
import { lookScript, nothingInside, parseLook } from "../shared/look_inside.ts";
import { allPids } from "../../platform/proc.ts";
import { usageOf } from "./cgroup.ts";
import { whyUnfiltered } from "./confine/launcher.ts";
import { execIn } from "./enter.ts";
import { statusOf } from "./provision.ts";
import { boxOf } from "./state.ts";

const script = async (handle: EnvironmentHandle, text: string): Promise<string> =>
  (await execIn(handle, ["sh", "-c", text], { cwd: "/" })).stdout;

export async function healthOf(handle: EnvironmentHandle): Promise<HealthReport> {
  if (await statusOf(handle) !== "running") return goneHealth("The box has ended");
  const { limiter, method, spec } = boxOf(handle);
  return parseHealth(
    await script(handle, healthScript),
    await usageOf(limiter.groups, spec.resources.memoryMB, method.data === "memory"),
  );
}

const unfilteredNote = async (): Promise<string> =>
  "System calls are not filtered, so keyrings and VM sockets of the host are in reach: " +
  (await whyUnfiltered() ?? "no box starts here under a filter");

export async function inspectBox(handle: EnvironmentHandle): Promise<EnvironmentState> {
  const status = await statusOf(handle);
  const { spec, limiter, diskEnforced, method } = boxOf(handle);
  return {
    ...(status === "running" ? parseLook(await script(handle, lookScript)) : nothingInside),
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
  const own = await space(boxOf(handle).life.init.pid);
  const spaces = await Promise.all((await allPids()).map(async (pid) => ({ pid, space: await space(pid) })));
  return spaces.filter((each) => own !== "" && each.space === own).map(({ pid }) => pid);
}
