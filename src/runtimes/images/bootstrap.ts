/** A bare root file system from the host's own apt mirror, for machines that no image registry answers to. */
import { join } from "node:path";
import { listFolder, readTextFile, readTextIfExists, writeTextFile } from "../../platform/files.ts";
import { runCommand } from "../../platform/process.ts";
import type { ImageDefinition } from "./catalogue.ts";
import { type BuildOptions, runOrFail } from "./context.ts";
import type { NextStep } from "../../core/next_step.ts";

/** Way to bootstrap an image here, or the reason why there is none. */
export type BootstrapPlan =
  | { possible: true; tool: "mmdebstrap" | "debootstrap"; suite: string; lines: string[]; mirror: string }
  | { possible: false; reason: string; next: NextStep[] };

/** Looks at the host's apt sources and tools; nothing is fetched. */
export async function planBootstrap(image: ImageDefinition): Promise<BootstrapPlan> {
  if (!image.bootstrap) {
    return { possible: false, reason: `${image.distro} cannot be made from an apt mirror`, next: [] };
  }
  const { family, suite } = image.bootstrap;
  const mirror = mirrorOf(family, await readAptSources());
  if (!mirror) {
    return { possible: false, reason: `the apt sources of this host name no ${family} mirror`, next: [] };
  }
  const tool = await firstInstalled(["mmdebstrap", "debootstrap"]);
  if (!tool) {
    return {
      possible: false,
      reason: "neither mmdebstrap nor debootstrap is installed",
      next: ["Install one: scripts/setup-host.sh"],
    };
  }
  return { possible: true, tool, suite, lines: sourceLines(mirror, family, suite), mirror: mirror.uri };
}

/**
 * Writes the root file system as a tar file into `folder` and answers its path.
 * @throws {PthError} `IMAGE_BUILD_FAILED`
 */
export async function bootstrap(
  plan: BootstrapPlan & { possible: true },
  folder: string,
  options: BuildOptions,
): Promise<string> {
  const tar = join(folder, "base.tar");
  options.onOutput?.(`bootstrapping ${plan.suite} from ${plan.mirror} with ${plan.tool}\n`);
  if (plan.tool === "mmdebstrap") await withMmdebstrap(plan, folder, tar, options);
  else await withDebootstrap(plan, folder, tar, options);
  return tar;
}

async function withMmdebstrap(
  plan: BootstrapPlan & { possible: true },
  folder: string,
  tar: string,
  options: BuildOptions,
): Promise<void> {
  const list = join(folder, "sources.list");
  await writeTextFile(list, plan.lines.join("\n") + "\n");
  await runOrFail(
    ["mmdebstrap", "--variant=minbase", "--include=ca-certificates", plan.suite, tar, list],
    options,
  );
}

/** debootstrap knows one archive only; the others are written into the result. */
async function withDebootstrap(
  plan: BootstrapPlan & { possible: true },
  folder: string,
  tar: string,
  options: BuildOptions,
): Promise<void> {
  const root = join(folder, "root");
  await runOrFail(
    ["debootstrap", "--variant=minbase", "--include=ca-certificates", plan.suite, root, plan.mirror],
    options,
  );
  await writeTextFile(join(root, "etc/apt/sources.list"), plan.lines.join("\n") + "\n");
  await runOrFail(["tar", "-C", root, "--numeric-owner", "-cf", tar, "."], options);
}

async function firstInstalled<Tool extends string>(tools: readonly Tool[]): Promise<Tool | undefined> {
  for (const tool of tools) {
    if (await isInstalled(tool)) return tool;
  }
  return undefined;
}

/** Looks the tool up: running mmdebstrap takes as long as half of a session's start. */
async function isInstalled(tool: string): Promise<boolean> {
  return (await runCommand(["/bin/sh", "-c", 'command -v "$1"', "sh", tool])).code === 0;
}

interface AptSource {
  uri: string;
  suite: string;
  components: string[];
}

export interface Mirror {
  /** Archive of the releases. */
  uri: string;
  /** Archive of security updates, where the host has one. */
  securityUri?: string;
}

/** Suites that tell to which distribution an archive belongs. */
const codenames = {
  debian: ["bullseye", "bookworm", "trixie", "forky", "sid", "oldstable", "stable", "testing", "unstable"],
  ubuntu: ["jammy", "noble", "oracular", "plucky", "questing"],
} as const;

/** Entries of a one-line file (`deb [options] uri suite component …`). */
export function parseOneLine(text: string): AptSource[] {
  return text.split("\n").flatMap((line) => {
    const found = line.match(/^\s*deb\s+(?:\[[^\]]*\]\s+)?(\S+)\s+(\S+)\s+([^#]*)/);
    if (!found) return [];
    const [, uri, suite, components] = found;
    return [{ uri: uri!, suite: suite!, components: words(components!) }];
  });
}

/** Entries of a deb822 file: stanzas of fields, continued by leading blanks. */
export function parseDeb822(text: string): AptSource[] {
  const clean = text.split("\n").filter((line) => !line.startsWith("#")).join("\n");
  return clean.split(/\n\s*\n/).flatMap((stanza) => {
    const fields = fieldsOf(stanza);
    if (fields.enabled === "no" || !words(fields.types).includes("deb")) return [];
    const components = words(fields.components);
    return words(fields.uris).flatMap((uri) =>
      words(fields.suites).map((suite) => ({ uri, suite, components }))
    );
  });
}

function fieldsOf(stanza: string): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const line of stanza.replace(/\n[ \t]+/g, " ").split("\n")) {
    const colon = line.indexOf(":");
    if (colon > 0) fields[line.slice(0, colon).trim().toLowerCase()] = line.slice(colon + 1).trim();
  }
  return fields;
}

const words = (text: string | undefined): string[] => (text ?? "").split(/\s+/).filter((word) => word !== "");

/** Every source that the host's apt uses. */
async function readAptSources(folder = "/etc/apt"): Promise<AptSource[]> {
  const sources = parseOneLine((await readTextIfExists(join(folder, "sources.list"))) ?? "");
  const parts = join(folder, "sources.list.d");
  for (const { name } of await listFolder(parts)) {
    if (name.endsWith(".list")) sources.push(...parseOneLine(await readTextFile(join(parts, name))));
    if (name.endsWith(".sources")) sources.push(...parseDeb822(await readTextFile(join(parts, name))));
  }
  return sources;
}

/** The host's mirror of a distribution, or undefined where the host uses none. */
export function mirrorOf(family: "debian" | "ubuntu", sources: readonly AptSource[]): Mirror | undefined {
  const known: readonly string[] = codenames[family];
  const ours = sources.filter((source) =>
    /^https?:/.test(source.uri) && source.components.includes("main") &&
    known.includes(source.suite.split(/[-/]/)[0]!)
  );
  const release = ours.find((source) => known.includes(source.suite));
  const security = ours.find((source) => /[-/](security|updates)$/.test(source.suite) && isSecurity(source));
  if (!release) return undefined;
  return { uri: release.uri, ...(security ? { securityUri: security.uri } : {}) };
}

const isSecurity = (source: AptSource): boolean =>
  source.suite.endsWith("-security") || source.uri.includes("security");

/** The lines of `sources.list` for a suite on this mirror. */
export function sourceLines(mirror: Mirror, family: "debian" | "ubuntu", suite: string): string[] {
  // Ubuntu keeps python3-venv in universe.
  const components = family === "ubuntu" ? "main universe" : "main";
  const lines = [
    `deb ${mirror.uri} ${suite} ${components}`,
    `deb ${mirror.uri} ${suite}-updates ${components}`,
  ];
  if (mirror.securityUri) lines.push(`deb ${mirror.securityUri} ${suite}-security ${components}`);
  return lines;
}
