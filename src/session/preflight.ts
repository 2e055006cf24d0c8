/** Looks, before anything is started, whether a session could start. Changes nothing. */
import { type Tier, tierNames, type TierRecommendation } from "../../machines/model/environment.ts";
import type { PreflightCheck } from "../api/harness.ts";
import { asPthError, PthError } from "../core/errors.ts";
import { freeSpaceMiB } from "../platform/append_durably.ts";
import { pathExists } from "../platform/files.ts";
import { stateDir, worktreeDir } from "../platform/host.ts";
import { declaredVariables, resolveVariables, wayToGive } from "../plugin/declared_variables.ts";
import { detectBuild, knownBuildFiles } from "../plugin/detect.ts";
import { chooseServer, declaredServers } from "../plugin/declared_servers.ts";
import { hostFolder, type ReadableFolder } from "../plugin/readable_folder.ts";
import { findStart } from "../plugin/find_start.ts";
import {
  proposalLines,
  proposalYaml,
  proposeServices,
} from "../plugin/service_proposals/propose_services.ts";
import { recommendTier } from "../plugin/recommend_tier.ts";
import { tierReasonText } from "../runtimes/choose_runtime.ts";
import { defaultImage, type ImageKind, imageOfKind } from "../runtimes/images/catalogue.ts";
import type { Readiness, RuntimeDefinition } from "../runtimes/runtime.ts";
import { groupBy } from "../core/values.ts";
import { hasGit } from "../git/git.ts";
import { readLock } from "../registry/lock.ts";
import { hostChecks, superpowersChecks } from "./host_checks.ts";
import { findOrphans, orphanText } from "./orphans.ts";
import { listSessions } from "../registry/register.ts";
import { findRepository, holdsFolder, uncommittedPaths } from "../git/repository.ts";
import type { findSuperpowers } from "./superpowers.ts";
import { type ParsedTarget, parseTarget } from "./parse_target.ts";
import { count } from "../core/text.ts";

interface PreflightOptions {
  /** Plugin to check; without it only the host is checked. */
  target?: string;
  runtimes: readonly RuntimeDefinition[];
  /** Lists base images and whether they are present. */
  images?: () => Promise<{ name: string; present: boolean; stale: boolean; detail: string }[]>;
  /** Finds the Superpowers plugin. */
  superpowers?: typeof findSuperpowers;
}

/** All checks, in the order in which a session would meet them; never throws. */
export async function preflight(options: PreflightOptions): Promise<PreflightCheck[]> {
  const checks: PreflightCheck[] = [];
  const runtimes = await probed(options.runtimes);
  const plugin = options.target === undefined ? undefined : await lookAtPlugin(options.target, runtimes);
  if (plugin) checks.push(...plugin.checks);
  checks.push(...await guarded("host", hostChecks()));
  checks.push(...runtimeChecks(runtimes));
  if (options.images) {
    checks.push(...await guarded("base images", imageChecks(options.images, plugin?.tier ?? 1)));
  }
  checks.push(...await guarded("disk space", diskChecks()));
  checks.push(...await guarded("stale sessions", staleChecks()));
  checks.push(...await superpowersChecks(options.superpowers));
  return checks;
}

/** A runtime, and whether it is ready. */
interface Probed extends RuntimeDefinition {
  readiness: Readiness;
}

const probed = (runtimes: readonly RuntimeDefinition[]): Promise<Probed[]> =>
  Promise.all(runtimes.map(async (runtime) => ({ ...runtime, readiness: await runtime.probe() })));

/** Checks the plugin; returns the environment tier, too, if it can be read from the source. */
async function lookAtPlugin(
  target: string,
  runtimes: readonly Probed[],
): Promise<{ checks: PreflightCheck[]; tier?: Tier }> {
  let parsed: ParsedTarget;
  try {
    parsed = await parseTarget({ target });
  } catch (error) {
    return { checks: [failure("plugin", error)] };
  }
  if (parsed.kind !== "folder") {
    return { checks: [{ name: "plugin", status: "ok", message: `${target}: an npm package` }] };
  }
  const { path } = parsed;
  const folder = hostFolder(path);
  const wanted = await recommendTier(path).catch((error: unknown) => failure("tier", error));
  const checks = [
    { name: "plugin", status: "ok" as const, message: path },
    ...await guarded("git", gitChecks(path)),
    ...await guarded("build system", buildChecks(folder)),
    "tier" in wanted ? tierCheck(wanted, runtimes) : wanted,
    ...await guarded("services", serviceChecks(path)),
    ...await guarded("configuration", configChecks(folder)),
    ...await guarded("session lock", lockChecks(path)),
    ...await guarded("interrupted sessions", orphanChecks(path)),
  ];
  return { checks, ...("tier" in wanted ? { tier: wanted.tier } : {}) };
}

async function gitChecks(path: string): Promise<PreflightCheck[]> {
  const name = "git";
  if (!await hasGit()) {
    const message = "git is not installed: a copy without a branch is tested";
    return [{ name, status: "warning", message, next: ["Install git (for example: apt-get install git)"] }];
  }
  const found = await findRepository(path);
  if (!("top" in found)) {
    const reason = found.reason ?? "the folder is in no git repository";
    const message = `${reason}: a copy without a branch is tested`;
    return [{
      name,
      status: "warning",
      message,
      next: ["For a branch with fixes: a git repository with a first commit"],
    }];
  }
  if (!await holdsFolder(found, true)) {
    const message = "the repository ignores the folder: a copy is tested";
    const next = ["For a branch with fixes: take the folder out of .gitignore and commit it"];
    return [{ name, status: "warning", message, next }];
  }
  const changes = (await uncommittedPaths(found)).length;
  const message = `${found.top} at ${found.head.slice(0, 10)}, ${count(changes, "uncommitted change")}`;
  return [{ name, status: "ok", message }];
}

async function buildChecks(folder: ReadableFolder): Promise<PreflightCheck[]> {
  const name = "build system";
  const build = await detectBuild(folder, { isolated: true });
  const server = chooseServer(await declaredServers(folder), undefined);
  const command = server?.command ?? await findStart({ folder, path: ".", build, wanted: undefined });
  if (build === undefined && command === undefined) {
    const next = [{
      terminal: 'Say how it is built and started: --build "<command>", --command "<command>"',
      mcp: "Say how it is built and started: pth_start_session({ pluginPath, build, command })",
    }];
    return [{ name, status: "failed", message: `none of ${knownBuildFiles} found`, next }];
  }
  const how = build ? `${build.system} (${build.evidence})` : "nothing to build";
  const start = command
    ? `started with: ${command.join(" ") || server?.url}`
    : "start command known after the build";
  return [{ name, status: "ok", message: `${how}; ${start}` }];
}

/** Checks whether this host has a runtime of the tier that the source needs. */
function tierCheck({ tier, reasons }: TierRecommendation, runtimes: readonly Probed[]): PreflightCheck {
  const name = "tier";
  if (tier === 1) return { name, status: "ok", message: "1: a plain container is enough" };
  const signs = groupBy(reasons.filter((reason) => reason.tier === tier), ({ what }) => what);
  // Of each sign its first place.
  const why = [...signs.values()].map(([first]) => tierReasonText(first!));
  const message = `${tier}, ${tierNames[tier]}: ${why.join(", ")}`;
  const fitting = runtimes.filter(({ tiers }) => tiers.includes(tier));
  if (fitting.some(({ readiness }) => readiness.ready)) return { name, status: "ok", message };
  const ready = fitting.flatMap(({ readiness }) => readiness.next ?? []);
  return {
    name,
    status: "warning",
    message: `${message}; none is ready here: a lower tier is taken, and tests that require it are skipped`,
    next: [...ready, {
      terminal: "Or ask for less: --env-tier 1",
      mcp: "Or ask for less, in the session: pth_provision_environment({ tier: 1 })",
    }],
  };
}

/** Lists services that the plugin seems to need. That is no problem: they may be running already. */
async function serviceChecks(path: string): Promise<PreflightCheck[]> {
  const found = await proposeServices(path);
  const name = "services";
  const unread: PreflightCheck[] = found.problems.map((message) => ({ name, status: "warning", message }));
  if (found.proposals.length === 0) return unread;
  const needs = {
    name,
    status: "ok" as const,
    message: `it seems to need ${proposalLines(found).join(", ")}`,
    next: [{
      terminal: "Where PTH is to start it, put this into a file for --config and adapt it:",
      mcp: "pth_start_session answers the call that starts it with the environment",
    }],
    paste: proposalYaml(found),
  };
  return [needs, ...unread];
}

async function configChecks(folder: ReadableFolder): Promise<PreflightCheck[]> {
  const [server] = await declaredServers(folder);
  const { missing } = resolveVariables(await declaredVariables(folder, server), {});
  if (missing.length === 0) return [];
  const names = missing.map(({ name }) => name).join(", ");
  const next = [
    ...missing.map(wayToGive),
    { mcp: "Give values as pth_load_plugin says: configValues, secrets or secretsFile" },
  ];
  return [{ name: "configuration", status: "warning", message: `the server needs ${names}`, next }];
}

async function lockChecks(path: string): Promise<PreflightCheck[]> {
  const found = await readLock(path);
  const name = "session lock";
  if (found === undefined) return [{ name, status: "ok", message: "no other session" }];
  const whose = found.lock ? `session ${found.lock.sessionId} (pid ${found.lock.pid})` : "an unknown session";
  if (!found.alive) {
    return [{ name, status: "warning", message: `a dead lock of ${whose} will be taken over` }];
  }
  const next = ["End that session", {
    terminal: "Or take the lock over: --force",
    mcp: "Or take the lock over: pth_start_session({ pluginPath, force: true })",
  }];
  return [{ name, status: "failed", message: `${whose} is active on this plugin`, next }];
}

async function orphanChecks(folder: string): Promise<PreflightCheck[]> {
  const found = await hasGit() ? await findRepository(folder) : undefined;
  const top = found && "top" in found ? { top: found.top } : {};
  return (await findOrphans({ folder, ...top })).map(orphanText)
    .map(({ message, next }) => ({ name: "interrupted sessions", status: "warning", message, next }));
}

function runtimeChecks(runtimes: readonly Probed[]): PreflightCheck[] {
  const checks = runtimes.map(({ name, readiness: { ready, reason, next } }): PreflightCheck => {
    const status = ready ? "ok" : "warning";
    return { name: `runtime ${name}`, status, message: reason, ...(next ? { next } : {}) };
  });
  if (checks.some(({ status }) => status === "ok")) return checks;
  const next = ["Make one of them ready, as they say above", {
    terminal: "Or run on this machine itself: --env host",
    mcp: 'Or use this machine itself: pth_provision_environment({ runtime: "host" })',
  }];
  return [...checks, { name: "runtimes", status: "failed", message: "no runtime is ready", next }];
}

/** Checks the default image, and one of the recommended tier; all others are summarized in a line. */
async function imageChecks(
  images: NonNullable<PreflightOptions["images"]>,
  tier: Tier,
): Promise<PreflightCheck[]> {
  const kinds = ["container", kindOfTier[tier]] as const;
  const wanted = new Set(kinds.map((kind) => imageOfKind(defaultImage, kind)?.name));
  const all = await images();
  const checks = all.filter(({ name }) => wanted.has(name)).map(({ name, present, stale, detail }) => ({
    name: `image ${name}`,
    status: present && !stale ? "ok" as const : "warning" as const,
    message: detail,
    ...(present && !stale ? {} : {
      next: [{
        terminal: `pth images build ${name}`,
        mcp: `In a session: pth_rebuild_base_images({ names: ["${name}"] })`,
      }],
    }),
  }));
  const others = all.filter(({ name }) => !wanted.has(name));
  if (others.length === 0) return checks;
  const named = (fits: (image: (typeof others)[number]) => boolean) =>
    others.filter(fits).map(({ name }) => name).join(", ");
  const built = named(({ present, stale }) => present && !stale);
  const stale = named((image) => image.present && image.stale);
  const missing = others.filter(({ present }) => !present).length;
  const parts = [
    ...(built === "" ? [] : [`${built} built`]),
    ...(stale === "" ? [] : [`${stale} stale`]),
    ...(missing === 0 ? [] : [`${missing} not built`]),
  ];
  const list = missing === 0 ? {} : { next: [{ terminal: "See which: pth images list" }] };
  return [...checks, { name: "other images", status: "ok", message: parts.join("; "), ...list }];
}

const kindOfTier: Record<Tier, ImageKind> = { 1: "container", 2: "systemd", 3: "vm" };

/** Below the first nothing works; below the second an install may fail. */
const scarceMiB = { failed: 200, warning: 2048 };

async function diskChecks(): Promise<PreflightCheck[]> {
  const checks: PreflightCheck[] = [];
  const folders = new Map([[stateDir(), "PTH_HOME"], [worktreeDir(), "PTH_WORKTREE_DIR"]]);
  for (const [folder, variable] of folders) {
    if (!await pathExists(folder)) continue;
    const free = await freeSpaceMiB(folder);
    const status = free < scarceMiB.failed ? "failed" : free < scarceMiB.warning ? "warning" : "ok";
    const next = [
      "Make room; what dead sessions left goes with: pth clean",
      "Or use another folder: " + variable,
    ];
    const message = `${free} MiB free in ${folder}`;
    checks.push({ name: "disk space", status, message, ...(status === "ok" ? {} : { next }) });
  }
  return checks;
}

/** More would hide the rest. */
const shownThings = 5;

async function staleChecks(): Promise<PreflightCheck[]> {
  const dead = (await listSessions()).filter(({ alive, kept }) => !alive && !kept);
  const name = "stale sessions";
  if (dead.length === 0) return [{ name, status: "ok", message: "none" }];
  const things = dead.flatMap(({ entries }) => entries.map((entry) => `${entry.kind} ${entry.name}`));
  const more = things.length > shownThings ? `, and ${things.length - shownThings} more` : "";
  const message = `${dead.length} ended without cleaning up: ${
    things.slice(0, shownThings).join(", ") || "nothing left"
  }${more}`;
  return [{ name, status: "warning", message, next: ["pth clean"] }];
}

async function guarded(name: string, checks: Promise<PreflightCheck[]>): Promise<PreflightCheck[]> {
  try {
    return await checks;
  } catch (error) {
    return [failure(name, error)];
  }
}

function failure(name: string, cause: unknown): PreflightCheck {
  const error = cause instanceof PthError ? cause : asPthError(cause);
  // Which of several servers is a question that the start of the session asks again.
  const status = error.code === "SERVER_AMBIGUOUS" ? "warning" : "failed";
  const { next } = error.context;
  return { name, status, message: error.message, ...(next ? { next } : {}) };
}
