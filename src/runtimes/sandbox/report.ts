/** What a box tells of itself: health, fingerprint, inspection. */
import type {
  EnvironmentFingerprint,
  EnvironmentHandle,
  EnvironmentState,
  HealthReport,
} from "../../../machines/model/environment.ts";
import { PthError } from "../../errors.ts";
import { readLink } from "../../platform/files.ts";
import { run } from "../../platform/process.ts";
import { deleted, fingerprintScript, parseFingerprint } from "../shared/fingerprint.ts";
import { goneHealth, healthScript, parseHealth } from "../shared/health.ts";
import { limitsOf } from "../shared/limits.ts";
import { lookScript, nothingInside, parseLook } from "../shared/look_inside.ts";
import { allPids } from "../shared/proc.ts";
import { besideKeeper } from "./box.ts";
import { usageOf } from "./cgroup.ts";
import { execIn } from "./enter.ts";
import { layoutFor } from "./plan.ts";
import { statusOf } from "./provision.ts";
import { partsOf } from "./start_script.ts";
import { boxOf } from "./state.ts";

const script = async (handle: EnvironmentHandle, text: string): Promise<string> =>
  (await execIn(handle, ["sh", "-c", text], { cwd: "/" })).stdout;

export async function healthOf(handle: EnvironmentHandle): Promise<HealthReport> {
  if (await statusOf(handle) !== "running") return goneHealth("The box has ended");
  const { limiter, spec } = boxOf(handle);
  return parseHealth(
    await script(handle, healthScript),
    await usageOf(limiter.groups, spec.resources.memoryMB),
  );
}

export const fingerprintOf = async (handle: EnvironmentHandle): Promise<EnvironmentFingerprint> =>
  parseFingerprint(await script(handle, fingerprintScript), await changedFiles(handle));

/** Files of the upper side, as paths inside, with size and time. */
async function changedFiles(handle: EnvironmentHandle): Promise<Record<string, string>> {
  const { life, method, spec } = boxOf(handle);
  const { root, upper } = partsOf(life.folder);
  const find = ["find", root, upper, "-mindepth", "1", "!", "-type", "d", "-printf", "%y %s %T@ %p\\0"];
  const result = await run([...besideKeeper(life, method.userNamespace), ...find], { cwd: "/" });
  if (result.code !== 0 && !result.stderr.includes(`${root}’: No such file`) && result.stdout === "") {
    throw new PthError("EXEC_FAILED", "Cannot list changed files: find failed", { output: result.stderr });
  }
  const { layers } = await layoutFor(spec.image);
  const places = layers.map(({ path }) =>
    [`${upper}/${path.replaceAll("/", "-") || "root"}/`, path] as const
  );
  const inside = (path: string) => {
    if (path.startsWith(`${root}/`)) return path.slice(root.length);
    const place = places.find(([prefix]) => path.startsWith(prefix));
    return place
      ? `/${[place[1], path.slice(place[0].length)].filter((part) => part !== "").join("/")}`
      : path;
  };
  const entries = result.stdout.split("\0").filter((entry) => entry !== "");
  return Object.fromEntries(entries.map((entry) => {
    const [, type, mark, path] = entry.match(/^(\w) (\S+ \S+) (.*)$/s)!;
    // An overlay keeps the place of what was deleted by a device of no kind.
    return [inside(path!), type === "c" ? deleted : mark!];
  }));
}

export async function inspectBox(handle: EnvironmentHandle): Promise<EnvironmentState> {
  const status = await statusOf(handle);
  const { spec, limiter, diskEnforced } = boxOf(handle);
  return {
    ...(status === "running" ? parseLook(await script(handle, lookScript)) : nothingInside),
    runtime: "sandbox",
    tier: handle.tier,
    image: handle.image,
    status,
    sourcePath: handle.sourcePath,
    limits: limitsOf(spec.resources, { ...limiter.enforced, disk: diskEnforced }),
    network: "shared with the host: a port inside is a port of the host",
  };
}

/** The host's pids of what runs inside. */
export async function pidsInside(handle: EnvironmentHandle): Promise<number[]> {
  const space = (pid: number) => readLink(`/proc/${pid}/ns/pid`).catch(() => ""); // ended, or another user's
  const own = await space(boxOf(handle).life.init.pid);
  const spaces = await Promise.all((await allPids()).map(async (pid) => ({ pid, space: await space(pid) })));
  return spaces.filter((each) => own !== "" && each.space === own).map(({ pid }) => pid);
}
