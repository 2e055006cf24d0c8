/** The host's own apt mirror, read from its sources: PTH never names one itself. */
import { join } from "node:path";
import { listFolder, readTextFile, readTextIfExists } from "../../platform/files.ts";

export interface AptSource {
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
export async function readAptSources(folder = "/etc/apt"): Promise<AptSource[]> {
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
