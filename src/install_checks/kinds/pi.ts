import { posix } from "node:path";
import type { FoundParts, InstalledPackage, InstallFault } from "../../../machines/model/install_check.ts";
import { oneLine, visibleName } from "../../core/text.ts";
import { isObject, jsonIn } from "../../core/values.ts";
import { assetText } from "../../platform/asset_text.ts";
import { readPackageJson } from "../../plugin/package_json.ts";
import type { PackageTree } from "../inside_tree.ts";
import { errorLine, shortened } from "../failure_output.ts";
import { defineInstallKind, type InstallPlace, noPackageParts } from "../install_kind.ts";
import { importFaults } from "../module_imports.ts";
import { installNpm, npmFaults, npmPacking, packNpm } from "../npm_package.ts";
import { pathFault } from "../path_fault.ts";
import { startOutside } from "../start_outside.ts";

const kindsOfResources = ["extensions", "skills", "prompts", "themes"] as const;
type ResourceKind = (typeof kindsOfResources)[number];

/** Packages that pi supplies to extensions, under either of its names. */
const supplied =
  /^(?:@(?:earendil-works|mariozechner)\/pi-(?:ai|agent-core|coding-agent|tui)|typebox|@sinclair\/typebox)$/;

/** A pi package: an npm package that pi loads. */
export default defineInstallKind({
  name: "pi",
  summary:
    "as `npm`; pi (`PTH_PI`) loads source and package, and the tools, skills and commands that it finds are compared",
  detectedBy: "a package.json with `pi`, or with the keyword `pi-package`",
  needs: ["npm"],
  declaresServers: true,
  async detects(folder) {
    const manifest: Record<string, unknown> = { ...await readPackageJson(folder) };
    return isObject(manifest.pi) ||
      (Array.isArray(manifest.keywords) && manifest.keywords.includes("pi-package"));
  },
  // A load installs and builds; that it starts no server is told as a note.
  async servers(folder) {
    const { scripts = {} } = await readPackageJson(folder) ?? {};
    return Object.keys(scripts).some((name) => /^(?:build|prepack|prepare)$/.test(name))
      ? [{ name: "" }]
      : [];
  },
  pack: packNpm,
  async install(place, packed) {
    const installed = await installNpm(place, packed.path);
    if (!("root" in installed)) return { root: "", servers: [], programs: [], notes: [], fault: installed };
    const { root, project } = installed;
    const [program, ...more] = await place.bringAgent("pi") ?? [];
    const script = more[0] ?? program ?? "";
    const home = /^(.*\/node_modules\/@[^/]+\/pi-coding-agent)\//.exec(script)?.[1];
    const without = (reason: string): InstalledPackage => ({
      root,
      servers: [],
      programs: [],
      notes: [`not checked: the load by pi, which ${reason}`],
    });
    if (home === undefined) return without("is not on this machine, or has no Node that it runs on");
    const node = more.length === 0 ? "node" : program!;
    const load = ["--input-type=module", "-e", assetText("install/load_pi.mjs")];
    const command = (folder: string, mode: "serve" | "list") =>
      startOutside(project, { PI_OFFLINE: "1", PI_TELEMETRY: "0" }, [
        node,
        ...load,
        `file://${home}/dist/index.js`,
        folder,
        posix.join(place.folder, "pi"),
        mode,
      ]);
    const list = (folder: string) => loadedByPi(place, command(folder, "list"));
    const [ofPackage, ofSource] = await Promise.all([
      list(root),
      place.source === undefined ? undefined : list(place.source),
    ]);
    if ("failed" in ofPackage) {
      // A package may end the process that loads it: pi alone tells whether it is pi that does not run.
      const alone = await list("");
      if ("failed" in alone) return without(`does not run here: ${alone.failed}`);
    }
    const told = (text: string, folder: string) => visibleName(oneLine(shortened(text, folder)), 300);
    const sourceNotes = ofSource === undefined
      ? []
      : "failed" in ofSource
      ? [`not checked: what pi finds in the source, which it does not load: ${ofSource.failed}`]
      : ofSource.errors.map((error) =>
        `not checked: what an extension adds that pi does not load from the source: ${
          told(error, place.source!)
        }`
      );
    const warnings = "failed" in ofPackage
      ? []
      : ofPackage.warnings.map((warning) => `pi says of the package: ${told(warning, root)}`);
    const found = ofSource !== undefined && "failed" in ofSource ? undefined : {
      // Where pi cannot load the package at all, it finds nothing in it.
      installed: "failed" in ofPackage ? noneFound : ofPackage.parts,
      ...(ofSource === undefined ? {} : { source: ofSource.parts }),
    };
    return {
      root,
      servers: [{ name: "extensions", command: command(root, "serve") }],
      programs: [],
      notes: [...sourceNotes, ...warnings],
      ...(found === undefined ? {} : { found }),
    };
  },
  async inspect(trees) {
    const resources = await resourcesOf(trees.installed);
    const paths = resources.flatMap(({ kind, path, named }) =>
      !named || /[*?[\]{}]/.test(path)
        ? []
        : pathFault({ place: `package.json: pi.${kind}`, path, packing: npmPacking }, trees) ?? []
    );
    const manifest = jsonIn(await trees.installed.read("package.json") ?? "");
    const { dependencies, peerDependencies, optionalDependencies, name: own } = isObject(manifest)
      ? manifest
      : {};
    const brought = [dependencies, peerDependencies, optionalDependencies].flatMap((one) =>
      isObject(one) ? Object.keys(one) : []
    );
    return [
      ...paths,
      ...Object.keys(isObject(dependencies) ? dependencies : {}).filter((name) =>
        supplied.test(name) && !name.endsWith("typebox")
      ).map((
        name,
      ): InstallFault => ({
        code: "wrong-engine",
        place: `package.json: dependencies.${name}`,
        message: `brings a ${name} of its own beside the one that pi supplies`,
        next: `Move it to peerDependencies: "${name}": "*"`,
      })),
      ...await npmFaults(trees, supplied),
      ...await importFaults(trees, {
        entries: extensionsIn(trees.installed, resources),
        packing: npmPacking,
        foreign: (name) =>
          supplied.test(name) || brought.includes(name) || name === own ? undefined : {
            message: `imports ${visibleName(name)}, which package.json does not declare`,
            next: `Add ${visibleName(name)} to dependencies`,
          },
      }),
    ];
  },
  async parts(tree) {
    const resources = await resourcesOf(tree);
    const below = (kind: ResourceKind) =>
      resources.filter((one) => one.kind === kind).map(({ path }) => path);
    const files = [...tree.entries.keys()];
    const isIn = (path: string, places: readonly string[]) =>
      places.some((place) => path === place || path.startsWith(`${place}/`) || matches(path, place));
    return {
      ...noPackageParts,
      skills: files.filter((path) => posix.basename(path) === "SKILL.md" && isIn(path, below("skills")))
        .map((path) => posix.basename(posix.dirname(path))).sort(),
      commands: files.filter((path) => path.endsWith(".md") && isIn(path, below("prompts")))
        .map((path) => posix.basename(path, ".md")).sort(),
      programs: extensionsIn(tree, resources),
    };
  },
});

const noneFound: FoundParts = { tools: [], skills: [], commands: [] };

const loadLimitMs = 30_000;
const mostNames = 1000;
const mostRemarks = 10;

interface Loaded {
  parts: FoundParts;
  /** Extensions that do not load, each with its reason. */
  errors: string[];
  /** Skills and prompts that pi leaves out, or takes only just. */
  warnings: string[];
}

/** The answer of one load; the reason where there is none, as when an extension ends the process. */
async function loadedByPi(
  { env, signal }: InstallPlace,
  command: readonly string[],
): Promise<Loaded | { failed: string }> {
  const limit = AbortSignal.timeout(loadLimitMs);
  let ended;
  try {
    ended = await env.exec(command, {
      cwd: "/",
      stdin: "",
      signal: AbortSignal.any([signal, limit]),
      maxBytes: 1024 * 1024,
    });
  } catch (error) {
    if (limit.aborted && !signal.aborted) return { failed: `no answer within ${loadLimitMs / 1000} s` };
    throw error;
  }
  const { code, stdout, stderr } = ended;
  // Extensions may print, too.
  const answer = code === 0 ? jsonIn(stdout.trim().split("\n").at(-1) ?? "") : undefined;
  if (!isObject(answer)) {
    const reason = errorLine(stderr) ?? `it ends with ${code ?? "a signal"}`;
    return { failed: visibleName(oneLine(reason), 300) };
  }
  const texts = (key: string): string[] => {
    const value = answer[key];
    return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
  };
  const names = (key: string) =>
    [...new Set(texts(key).slice(0, mostNames).map((name) => visibleName(name)))].sort();
  return {
    parts: { tools: names("tools"), skills: names("skills"), commands: names("commands") },
    errors: texts("errors").slice(0, mostRemarks),
    warnings: texts("warnings").slice(0, mostRemarks),
  };
}

interface Resource {
  kind: ResourceKind;
  path: string;
  /** Whether the manifest names it; else it is the usual folder. */
  named: boolean;
}

/** Places of resources: those of the manifest, or the usual folders where it names none. */
async function resourcesOf(tree: PackageTree): Promise<Resource[]> {
  const manifest = jsonIn(await tree.read("package.json") ?? "");
  const pi = isObject(manifest) && isObject(manifest.pi) ? manifest.pi : undefined;
  return kindsOfResources.flatMap((kind): Resource[] => {
    if (pi === undefined) return tree.has(kind) ? [{ kind, path: kind, named: false }] : [];
    const entries = Array.isArray(pi[kind]) ? pi[kind] : [];
    return entries.filter((entry) => typeof entry === "string" && !/^[!-]/.test(entry)).map((
      entry: string,
    ) => ({
      kind,
      path: entry.startsWith("/") || entry.startsWith("..")
        ? entry
        : posix.normalize(entry.replace(/^\+/, "")),
      named: true,
    }));
  });
}

/** Files of extensions: those named, and those of folders that pi takes as extensions. */
function extensionsIn(tree: PackageTree, resources: readonly Resource[]): string[] {
  const places = resources.filter(({ kind }) => kind === "extensions").map(({ path }) =>
    path.replace(/\/$/, "")
  );
  return [...tree.entries.keys()].filter((path) =>
    /\.[cm]?[jt]s$/.test(path) && !path.endsWith(".d.ts") &&
    places.some((place) =>
      path === place || posix.dirname(path) === place || matches(path, place) ||
      (posix.dirname(posix.dirname(path)) === place && /^index\.[jt]s$/.test(posix.basename(path)))
    )
  ).sort();
}

/** Whether a path fits a pattern with `*` and `**`. */
function matches(path: string, pattern: string): boolean {
  if (!pattern.includes("*")) return false;
  const parts = pattern.split(/(\*\*\/?|\*)/).map((part) =>
    part.startsWith("**") ? ".*" : part === "*" ? "[^/]*" : part.replace(/[.+?^${}()|[\]\\]/g, "\\$&")
  );
  return new RegExp(`^${parts.join("")}$`).test(path);
}
