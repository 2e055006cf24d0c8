/** Files that the sources and the manifest of a crate name, and what the registry asks of the manifest. */
import { posix } from "node:path";
import type { InstallFault } from "../../machines/model/install_check.ts";
import { visibleName } from "../core/text.ts";
import { readCode } from "../plugin/code_text.ts";
import { tomlTable } from "../plugin/package_json.ts";
import type { InstalledTrees } from "./install_kind.ts";
import { pathFault } from "./path_fault.ts";

const manifestFile = "Cargo.toml";
const packing = "Have the file packed (include and exclude of Cargo.toml)";
const mostFiles = 1000;

/** A table of a manifest, or one of an array of tables, with its lines. */
interface TomlBlock {
  header: string;
  body: string;
}

const tomlBlocks = (text: string): TomlBlock[] =>
  text.split(/^(?=\s*\[)/m).flatMap((block) => {
    const header = /^\s*\[+\s*([^\]]+?)\s*\]+/.exec(block);
    return header === null
      ? []
      : [{ header: header[1]!.replaceAll(/["']/g, ""), body: block.slice(header[0].length) }];
  });

const stringIn = (body: string, key: string): string | undefined =>
  new RegExp(String.raw`^\s*${key}\s*=\s*"([^"]*)"`, "m").exec(body)?.[1];

const listIn = (body: string, key: string): string[] =>
  [...(new RegExp(String.raw`^\s*${key}\s*=\s*\[([^\]]*)\]`, "m").exec(body)?.[1] ?? "").matchAll(
    /"([^"]*)"/g,
  )]
    .map(([, item]) => item!);

/** Faults of a crate that its files show, without a compiler. */
export async function rustFaults(trees: InstalledTrees): Promise<InstallFault[]> {
  const manifest = await trees.installed.read(manifestFile) ?? "";
  const blocks = tomlBlocks(manifest);
  return [
    ...await manifestFaults(trees, manifest, blocks),
    ...dependencyFaults(blocks),
    ...programFaults(blocks),
    ...await sourceFaults(trees, blocks),
  ];
}

async function manifestFaults(
  trees: InstalledTrees,
  manifest: string,
  blocks: readonly TomlBlock[],
): Promise<InstallFault[]> {
  const told = tomlTable(manifest, "package");
  const named: [string, string | undefined][] = [
    ["package.license-file", told["license-file"]],
    ["package.readme", told.readme],
    ["package.build", told.build],
    ...blocks.filter(({ header }) => header === "bin" || header === "lib").map((
      { header, body },
    ): [string, string | undefined] => [`${header}.path`, stringIn(body, "path")]),
  ];
  const paths = named.flatMap(([key, path]) =>
    path === undefined ? [] : pathFault({ place: `${manifestFile}: ${key}`, path, packing }, trees) ?? []
  );
  // cargo writes `build = false` into the manifest of a crate whose build script it leaves out.
  const lost = trees.source?.has("build.rs") === true && !trees.installed.has("build.rs") &&
    told.build === undefined && !/^\s*build\s*=\s*false/m.test(await trees.source.read(manifestFile) ?? "");
  const inherited = (key: string) =>
    new RegExp(String.raw`^\s*${key}\.workspace\s*=\s*true`, "m").test(manifest);
  const lacking = [
    ...(told.description || inherited("description") ? [] : ["description"]),
    ...(told.license || told["license-file"] || inherited("license") || inherited("license-file")
      ? []
      : ["license"]),
  ];
  return [
    ...paths,
    ...(lost
      ? [{
        code: "not-packed" as const,
        place: `${manifestFile}: package.build`,
        message: "build.rs is in the source and not in the package: the crate is built without it",
        next: packing,
      }]
      : []),
    ...lacking.map((key): InstallFault => ({
      code: "not-published",
      place: `${manifestFile}: package.${key}`,
      message: `there is no ${key}: the registry takes no crate without one`,
      next: `Write ${key} = "…" below [package]`,
    })),
  ];
}

/** Dependencies that the registry refuses, or that its users do not have. */
function dependencyFaults(blocks: readonly TomlBlock[]): InstallFault[] {
  const ofTarget = /^(?:target\..*\.)?(?:build-)?dependencies$/;
  const named = blocks.flatMap(({ header, body }): [string, string | undefined][] => {
    if (ofTarget.test(header)) {
      return [...body.matchAll(/^\s*["']?([\w-]+)["']?\s*=\s*(?:"([^"]*)"|\{([^}]*)\})/gm)].map((
        [, name, version, table],
      ) => [name!, version ?? /\bversion\s*=\s*"([^"]*)"/.exec(table ?? "")?.[1]]);
    }
    const single = /^((?:target\..*\.)?(?:build-)?dependencies)\.([\w-]+)$/.exec(header);
    return single === null ? [] : [[single[2]!, stringIn(body, "version")]];
  });
  return named.flatMap(([name, version]): InstallFault[] =>
    version?.trim() !== "*" ? [] : [{
      code: "not-published",
      place: `${manifestFile}: dependencies.${name}`,
      message: `asks for any version of ${name}, which the registry refuses`,
      next: "Name the version that it was built with",
    }]
  );
}

/** Programs that `cargo install` leaves out. */
function programFaults(blocks: readonly TomlBlock[]): InstallFault[] {
  const features = blocks.find(({ header }) => header === "features")?.body ?? "";
  const usual = new Set(listIn(features, "default"));
  for (const feature of usual) for (const more of listIn(features, feature)) usual.add(more);
  return blocks.filter(({ header }) => header === "bin").flatMap(({ body }): InstallFault[] => {
    const lacking = listIn(body, "required-features").filter((feature) => !usual.has(feature));
    const name = visibleName(stringIn(body, "name") ?? "");
    return lacking.length === 0 ? [] : [{
      code: "part-lost",
      place: `${manifestFile}: bin ${name}`,
      message: `cargo install leaves ${name} out: it needs ${
        lacking.map((one) => visibleName(one)).join(", ")
      }, ` +
        "which is no default feature",
      next: "Add it to the default features, or tell users of --features",
    }];
  });
}

/** Faults of what sources include, beginning at the programs, the library and the build script. */
async function sourceFaults(trees: InstalledTrees, blocks: readonly TomlBlock[]): Promise<InstallFault[]> {
  const named = blocks.filter(({ header }) => header === "bin" || header === "lib").flatMap(({ body }) =>
    stringIn(body, "path") ?? []
  );
  const roots = [...trees.installed.entries.keys()].filter((path) =>
    named.some((one) => posix.normalize(one) === path) ||
    /^(?:build|src\/(?:main|lib)|src\/bin\/(?:[^/]+|[^/]+\/main))\.rs$/.test(path)
  );
  const faults: InstallFault[] = [];
  const known = new Set(roots);
  for (const file of known) {
    if (known.size > mostFiles) break;
    const text = await trees.installed.read(file);
    if (text === undefined) continue;
    const owner = roots.includes(file) || posix.basename(file) === "mod.rs";
    const folder = owner ? posix.dirname(file) : file.slice(0, -".rs".length);
    faults.push(...builtPlaceFaults(file, text));
    for (const { place, candidates, optional, module } of namedFiles(file, folder, text)) {
      const fault = fileFault(trees, place, candidates);
      if (fault !== undefined && !(optional && fault.code === "wrong-path")) faults.push(fault);
      if (module) {
        for (const one of candidates) if (trees.installed.entries.has(one)) known.add(one);
      }
    }
  }
  return faults;
}

interface NamedFile {
  place: string;
  candidates: string[];
  /** Compiled under some conditions alone. */
  optional: boolean;
  module: boolean;
}

const moduleLine = /^((?:#\[[^\n]*\]\s*)*)(?:pub(?:\([^)]*\))?\s+)?mod\s+(?:r#)?(\w+)\s*;/gm;

function namedFiles(file: string, folder: string, text: string): NamedFile[] {
  const { code, literals, lineOf } = readCode(text, "rust");
  const beside = posix.dirname(file);
  const included = literals.flatMap(({ start, text: path }): NamedFile[] => {
    const before = code.slice(Math.max(0, start - 200), start);
    const inCrate =
      /\binclude(?:_str|_bytes)?!\s*\(\s*concat!\s*\(\s*env!\s*\(\s*"\s*"\s*\)\s*,\s*$/.test(before) &&
      literals.some(({ end, text }) => text === "CARGO_MANIFEST_DIR" && end > start - 20 && end < start);
    if (!inCrate && !/\binclude(?:_str|_bytes)?!\s*\(\s*$/.test(before) || path.includes("\\")) return [];
    const candidate = inCrate
      ? path.replace(/^\//, "")
      : path.startsWith("/")
      ? path
      : posix.join(beside, path);
    return [{ place: `${file}:${lineOf(start)}`, candidates: [candidate], optional: false, module: false }];
  });
  // Those of the file itself: within braces they may be of an inline module or a test.
  const modules = [...code.matchAll(moduleLine)].flatMap((found): NamedFile[] => {
    const [all, attributes = "", name] = found;
    // Strings are blank in the code.
    const written = text.slice(found.index, found.index + attributes.length);
    if (/cfg\s*\(\s*test\b/.test(written)) return [];
    const own = /#\[path\s*=\s*"([^"]+)"\]/.exec(written)?.[1];
    return [{
      place: `${file}:${lineOf(found.index + all.lastIndexOf("mod"))}`,
      candidates: own === undefined
        ? [posix.join(folder, `${name}.rs`), posix.join(folder, `${name}/mod.rs`)]
        : [posix.join(beside, own)],
      optional: /\bcfg/.test(written),
      module: true,
    }];
  });
  return [...included, ...modules];
}

/** The folder that a crate is built in, kept by the program: its users have it no more. */
function builtPlaceFaults(file: string, text: string): InstallFault[] {
  if (file === "build.rs") return [];
  const { code, literals, lineOf } = readCode(text, "rust");
  return literals.flatMap(({ start, text: name }): InstallFault[] => {
    const before = code.slice(0, start);
    if (name !== "CARGO_MANIFEST_DIR" || !/\benv!\s*\(\s*$/.test(before)) return [];
    if (/#\[cfg\s*\(\s*test\b|\binclude\w*!\s*\(\s*concat!\s*\(\s*env!\s*\(\s*$/.test(before)) return [];
    return [{
      code: "absolute-path",
      place: `${file}:${lineOf(start)}`,
      message: "keeps the folder that the crate was built in, which its users do not have",
      next: "Include the file in the program (include_str!, include_bytes!), or look beside the program",
    }];
  });
}

function fileFault(
  trees: InstalledTrees,
  place: string,
  candidates: readonly string[],
): InstallFault | undefined {
  if (candidates.some((path) => trees.installed.has(path))) return undefined;
  const faults = candidates.map((path) => pathFault({ place, path, packing }, trees)!);
  return faults.find(({ code }) => code !== "wrong-path") ?? faults[0];
}
