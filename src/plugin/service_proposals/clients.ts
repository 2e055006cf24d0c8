/** Client libraries of services in manifests, each with its line. */
import type { ServiceReason } from "../../../machines/model/service_proposal.ts";
import type { ServiceKind } from "../service_kind.ts";

/** A name in a manifest, and where. */
interface Named {
  name: string;
  line: number;
}

interface Manifest {
  file: RegExp;
  ecosystem: keyof ServiceKind["libraries"];
  /** Dependencies at run time; those for development are left out. */
  names(text: string): Named[];
}

/** Requirements begin with the name; extras and versions follow. */
const requirement = /^\s*["']?([A-Za-z0-9][\w.-]*)/;

const manifests: Manifest[] = [
  {
    file: /^package\.json$/,
    ecosystem: "npm",
    names: packageNames,
  },
  {
    file: /^requirements\.txt$/,
    ecosystem: "python",
    names: (text) => inBlock(`\n${text}`, /^$/, /^\0/, requirement, -1),
  },
  {
    file: /^pyproject\.toml$/,
    ecosystem: "python",
    names: (text) => [
      ...inBlock(text, /^\s*dependencies\s*=\s*\[/, /^\s*\]/, requirement),
      ...inBlock(text, /^\s*\[tool\.poetry\.dependencies\]/, /^\s*\[/, /^\s*([A-Za-z0-9][\w.-]*)\s*=/),
    ],
  },
  {
    file: /^go\.mod$/,
    ecosystem: "go",
    names: (text) =>
      inBlock(text, /^\s*require\s*\(/, /^\s*\)/, /^\s*(\S+)\s+v/, 0, /^\s*require\s+(\S+)\s+v/),
  },
  {
    file: /^Cargo\.toml$/,
    ecosystem: "rust",
    names: (text) => inBlock(text, /^\s*\[dependencies\]/, /^\s*\[/, /^\s*([A-Za-z0-9][\w-]*)\s*=/),
  },
];

/** Files that are read for it. */
export const manifestNames = ["package.json", "requirements.txt", "pyproject.toml", "go.mod", "Cargo.toml"];

export function findClients(file: string, text: string, { libraries }: ServiceKind): ServiceReason[] {
  const manifest = manifests.find((one) => one.file.test(file));
  const known = manifest && libraries[manifest.ecosystem];
  if (!manifest || !known) return [];
  const isOne = (name: string) =>
    known.some((library) =>
      manifest.ecosystem === "go" ? isModule(name, library) : plain(name) === plain(library)
    );
  return manifest.names(text).filter(({ name }) => isOne(name))
    .map(({ name, line }) => ({ what: `depends on ${name}`, file, line }));
}

/** "_" and "-" are the same to Python and Rust, and case never matters. */
const plain = (name: string): string => name.toLowerCase().replaceAll("_", "-");

const isModule = (path: string, library: string): boolean =>
  path.toLowerCase() === library || path.toLowerCase().startsWith(`${library}/`);

/** However its lines are broken: a manifest may be a single one. */
function packageNames(text: string): Named[] {
  const blocks = text.matchAll(/("(?:optionalD|peerD|d)ependencies"\s*:\s*\{)([^}]*)\}/g);
  return [...blocks].flatMap(({ index, 1: opening, 2: entries }) =>
    [...entries!.matchAll(/"([^"]+)"\s*:/g)].map((entry) => ({
      name: entry[1]!,
      line: text.slice(0, index + opening!.length + entry.index).split("\n").length,
    }))
  );
}

/** Names on the lines between two that begin and end a block; a block may also begin and end on one line. */
function inBlock(text: string, begin: RegExp, end: RegExp, name: RegExp, shift = 0, alone?: RegExp): Named[] {
  const found: Named[] = [];
  let inside = false;
  text.split("\n").forEach((content, index) => {
    const line = index + 1 + shift;
    const single = alone?.exec(content);
    if (single) return void found.push({ name: single[1]!, line });
    if (!inside) {
      const opening = begin.exec(content);
      if (!opening) return;
      inside = true;
      const rest = content.slice(opening.index + opening[0].length);
      for (const [, quoted] of rest.matchAll(/["']([@A-Za-z0-9][^"'=<>~!\[;\s]*)[^"']*["']/g)) {
        found.push({ name: quoted!, line });
      }
      if (/[\]}]/.test(rest)) inside = false;
      return;
    }
    if (end.test(content)) return void (inside = begin.test(content));
    const hit = name.exec(content);
    if (hit) found.push({ name: hit[1]!, line });
  });
  return found;
}
