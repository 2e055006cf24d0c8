/** A picture of an environment outside its source folder, from what one shell script prints. */
import type {
  EnvironmentFingerprint,
  RuntimeDrift,
  UnseenPart,
} from "../../../machines/model/environment.ts";
import { PthError } from "../../core/errors.ts";
import { assetText } from "../../platform/asset_text.ts";
import { capabilitiesIn, type FileFacts, fileFormat, filesIn } from "./files_in.ts";
import { sections } from "../shared/sections.ts";

/** Limit in bytes of what a fingerprint's script prints; a file takes about 90. */
export const fingerprintBytes = 128 * 1024 * 1024;

/**
 * Makes the command line that prints what `parseFingerprint` reads, in the environment or, for "beneath", on its host.
 * @param files Files to list: "all" of the root's file system but `source`, "etc", or "none" where the runtime knows them
 * itself. "beneath" prints only packages, users, groups and configuration.
 * @param own Parts that the environment does not share with the host.
 */
export const fingerprintCommand = (
  files: "all" | "etc" | "none" | "beneath",
  { source = "", own = [] }: { source?: string; own?: readonly ("network" | "kernel")[] } = {},
): string[] => [
  "sh",
  "-c",
  assetText("environment/fingerprint.sh"),
  "sh",
  files,
  source,
  own.join(" "),
  fileFormat,
];

/** Facts that a runtime knows better from outside than the script does inside. */
export interface OutsideFacts extends Partial<FileFacts> {
  /** Addresses that the engine or the hypervisor gave. */
  given?: readonly string[];
  unseen?: UnseenPart[];
  beneath?: RuntimeDrift;
}

/**
 * @throws {PthError} `EXEC_FAILED` where the script did not come to its end, or its beginning is lost: all would seem to
 * be removed
 */
export function parseFingerprint(
  text: string,
  { given, unseen = [], beneath, ...files }: OutsideFacts = {},
): EnvironmentFingerprint {
  const found = sections(text);
  if (!found.has("end") || !found.has("packages")) {
    const state = found.has("end") ? "it holds too many files" : "it cannot run a shell script any more";
    throw new PthError(
      "EXEC_FAILED",
      `Cannot inspect the environment: ${state}`,
      {
        next: [
          { mcp: "See how it is: pth_check_environment_health({})" },
          { mcp: "Use a new environment: pth_reprovision_environment({})" },
        ],
      },
    );
  }
  const rows = (name: string, separator: RegExp) =>
    (found.get(name) ?? []).map((line) => line.split(separator) as [string, ...string[]]);
  const record = (name: string, separator: RegExp) =>
    Object.fromEntries(rows(name, separator).map(([key, value = ""]) => [key, value]));
  const units = rows("units", /\s+/).map(([name, , active, state]) => ({ name, active, state }));
  const texts = (found.get("texts") ?? []).join("");
  return {
    takenAt: new Date().toISOString(),
    packages: { ...record("packages", / /), ...npmPackages(found), ...pythonPackages(found) },
    services: named(units, (unit) => unit.name.endsWith(".service") && unit.state === "running"),
    timers: named(units, (unit) => unit.name.endsWith(".timer") && unit.active === "active"),
    failedUnits: named(units, ({ active }) => active === "failed"),
    enabled: enabledUnits(found),
    users: found.get("users") ?? [],
    groups: record("groups", /:/),
    ports: portsOf(found),
    config: Object.fromEntries(rows("config", / [ *](.*)/s).map(([sum, path]) => [path!, sum])),
    ...(texts === "" ? {} : { configTexts: texts }),
    sysctl: parametersOf(found),
    mounts: Object.fromEntries(
      rows("mounts", / /).map(([what, where, type]) => [where!, `${what} (${type})`]),
    ),
    hostname: found.get("hostname")?.[0] ?? "",
    addresses: networkAddresses(found, given),
    firewall: found.get("firewall") ?? [],
    modules: (found.get("modules") ?? []).toSorted(),
    ...filesIn(found.get("files") ?? []),
    capabilities: capabilitiesIn(found.get("files") ?? []),
    ...files,
    unseen: [...unseen, ...unseenIn(found)],
    ...(beneath === undefined ? {} : { beneath }),
  };
}

interface Unit {
  name: string;
  active: string | undefined;
  state: string | undefined;
}

const named = (units: readonly Unit[], wanted: (unit: Unit) => boolean): string[] =>
  units.filter(wanted).map(({ name }) => name).sort();

/**
 * By the links that `systemctl enable` makes: systemctl itself reads all units there are, which takes seconds. A link of its
 * own name stands for what it leads to, one to nowhere for a unit that never starts.
 */
function enabledUnits(found: Map<string, string[]>): string[] {
  const links = (found.get("enabled") ?? []).map((line) => {
    const [path = "", target = ""] = line.split(" ");
    return { path, target };
  });
  const nameOf = (path: string) => path.slice(path.lastIndexOf("/") + 1);
  const masked = new Set(links.filter(({ target }) => target === "/dev/null").map(({ path }) => path));
  const names = links.filter(({ target }) => target !== "/dev/null")
    .map(({ path, target }) => nameOf(path.includes("/") ? path : target));
  return [...new Set(names)].filter((name) => !masked.has(name)).sort();
}

function npmPackages(found: Map<string, string[]>): Record<string, string> {
  const line = /\/node_modules\/(.+)\/package\.json:.*"version": *"([^"]+)"/;
  const matches = (found.get("npm") ?? []).flatMap((text) =>
    [text.match(line) ?? []].filter((m) => m.length > 0)
  );
  return Object.fromEntries(matches.map(([, name, version]) => [`npm:${name}`, version!]));
}

function pythonPackages(found: Map<string, string[]>): Record<string, string> {
  const folders = (found.get("pip") ?? []).map((path) => path.slice(path.lastIndexOf("/") + 1));
  const matches = folders.flatMap((folder) => [folder.match(/^(.+?)-([^-]+)\.dist-info$/) ?? []]);
  return Object.fromEntries(
    matches.filter((m) => m.length > 0).map(([, name, version]) => [`pip:${name}`, version!]),
  );
}

function portsOf(found: Map<string, string[]>): string[] {
  const held = new Set((found.get("sockets") ?? []).map((line) => line.slice("socket:[".length)));
  const columns = (name: string) => (found.get(name) ?? []).map((line) => line.trim().split(/\s+/));
  const internet = (protocol: "tcp" | "udp") =>
    columns(protocol).filter((column) => held.has(column[9]!))
      .map((column) => `${protocol}/${Number.parseInt(column[1]!.split(":")[1]!, 16)}`);
  // Abstract sockets have no path.
  const local = columns("unix").filter((column) => held.has(column[6]!) && column[7]?.startsWith("/"))
    .map((column) => `unix${column[7]}`);
  return [...new Set([...internet("tcp"), ...internet("udp"), ...local])].sort();
}

/** Lines of `path:value`, as the usual dotted names; several lines of one parameter are one value. */
function parametersOf(found: Map<string, string[]>): Record<string, string> {
  const values: Record<string, string> = {};
  for (const line of found.get("sysctl") ?? []) {
    const colon = line.indexOf(":");
    const name = line.slice("/proc/sys/".length, colon).replaceAll("/", ".");
    const value = line.slice(colon + 1).replaceAll(/\s+/g, " ");
    values[name] = name in values ? `${values[name]}; ${value}` : value;
  }
  return values;
}

/** By the lines that the script writes in the place of what it cannot look at. */
const unseenIn = (found: Map<string, string[]>): UnseenPart[] =>
  (found.get("unseen") ?? []).map((line) => {
    const [what = "", why = ""] = line.split(": ", 2);
    return { what, why };
  });

/** Addresses of an environment's own network, from what the kernel tells of it. Pure. */

/** Bits of an address in /proc/net/if_inet6. */
const permanent = 0x80;

/**
 * IPv4 from the local table of routes, IPv6 without those that a network or a card brings along (temporary, link-local).
 * @param given Those that the engine or the hypervisor gave: others after each rollback
 */
function networkAddresses(
  found: ReadonlyMap<string, string[]>,
  given: readonly string[] = [],
): string[] {
  const four = (found.get("inet") ?? []).flatMap((line) => line.match(/[\d.]{7,}/)?.[0] ?? []);
  const six = (found.get("inet6") ?? []).flatMap((line) => {
    const [address = "", , length = "", , flags = ""] = line.trim().split(/\s+/);
    const counts = (Number.parseInt(flags, 16) & permanent) !== 0 && !/^fe[89ab]/.test(address);
    return counts ? [`${shortened(address)}/${Number.parseInt(length, 16)}`] : [];
  });
  const known = new Set(given);
  return [...new Set([...four, ...six])].filter((address) => !known.has(address)).sort();
}

/** 32 digits as an address is written, by the URL standard's rules. */
function shortened(digits: string): string {
  if (!/^[\da-f]{32}$/.test(digits)) return digits;
  return new URL(`http://[${digits.match(/.{4}/g)!.join(":")}]/`).hostname.slice(1, -1);
}
