/** The installed tree of one plugin: taken from the store where it was kept before, kept where it was just made. */
import { posix } from "node:path";
import { addAbortSignal, type Readable } from "node:stream";
import type { PluginPlan } from "../../../machines/model/plugin.ts";
import { errorMessage } from "../../core/errors.ts";
import { log } from "../../platform/log.ts";
import type { ConfinedFolder } from "../../platform/confined/open_confined.ts";
import type { EnvironmentAccess } from "../environment_access.ts";
import { readPackageJson } from "../package_json.ts";
import { insideFolder } from "../environment_access.ts";
import type { PlaceFacts } from "./place_facts.ts";
import { isVersion, type ResolvedPackage } from "./resolve_version.ts";
import { folderContent, treeKey } from "./tree_key.ts";
import type { TreeAccess } from "./tree_access.ts";
import type { CachedTree } from "./tree_store.ts";

export interface TreeRequest {
  plan: PluginPlan;
  env: EnvironmentAccess;
  trees: TreeAccess;
  facts: PlaceFacts;
  /** Variables of the install. */
  variables: Record<string, string>;
  /** The version that the target means now; undefined for folders, and where no registry was reached. */
  resolved: ResolvedPackage | "unknown" | undefined;
  /** The tree that was brought in before the version was known. */
  early?: BroughtTree | undefined;
  signal?: AbortSignal | undefined;
}

/** A tree that was found to be what was kept, and lies unpacked in the plugin's folder, aside from its place. */
export interface BroughtTree {
  key: string;
  /**
   * Moves it into its place, then runs a command in the plugin's folder: resolves to what that prints. Undefined where it
   * cannot be moved: it is then gone.
   */
  put(look: readonly string[]): Promise<string | undefined>;
  /** Removes what is not in its place. */
  drop(): Promise<void>;
}

/** A tree as it was put back. */
export interface RestoredTree {
  /** The package with its version, or the plugin's name. */
  name: string;
  /** The registry was not reached: this is the newest version that is kept. */
  unconfirmed: boolean;
  /** The install has to run again over the tree, for the scripts of the plugin's own. */
  incomplete: boolean;
  /** Output of the command that was to look at what there is now. */
  seen: string;
}

export interface InstalledTree {
  /** Undefined where none that fits is kept. @param look command to run in the plugin's folder once it is there */
  restore(look: readonly string[]): Promise<RestoredTree | undefined>;
  /** Notes the moment from which on the install writes. */
  begin(): Promise<void>;
  /** Keeps what was installed, unless it may not be all of it. A failure costs nothing but the next run's time. */
  keep(): Promise<void>;
}

type KeyFacts = Omit<TreeRequest, "resolved" | "early">;

/** Parts of a key that tell where a tree fits. */
const placeOf = ({ plan, env, trees, facts, variables }: KeyFacts): string[] => [
  trees.runtime,
  env.image,
  // On the host itself each environment has a folder of its own: a tree that names it is not kept.
  env.isolated ? plan.folder : "",
  facts.text,
  plan.build?.install ?? "",
  JSON.stringify(Object.entries(variables).sort()),
];

/** Undefined where the tree hangs on more than a key can say. */
export async function installedTree(request: TreeRequest): Promise<InstalledTree | undefined> {
  const { plan, trees } = request;
  const place = placeOf(request);
  if (plan.source.startsWith("npm:")) return await packageTree(request, place);
  const content = await folderContent(trees.source);
  if (content === undefined) return undefined;
  const key = treeKey("folder", ...place, ...content.parts);
  const entry = { key, name: plan.name, families: [] };
  const { ownScripts } = content;
  return {
    restore: async (look) => {
      const tree = trees.reads ? await trees.store.find(key) : undefined;
      const brought = tree && await bringIn(request, tree);
      const seen = await brought?.put(look);
      return seen === undefined
        ? undefined
        : { name: plan.name, unconfirmed: false, incomplete: ownScripts, seen };
    },
    begin: () => markBegin(request),
    keep: () => quietly(request, () => store(request, entry, ownScripts)),
  };
}

async function packageTree(
  request: TreeRequest,
  place: readonly string[],
): Promise<InstalledTree | undefined> {
  const { plan, trees, env, resolved, early } = request;
  const asked = await askedVersion(trees.source, plan.name);
  if (asked === undefined || resolved === "unknown") return undefined;
  const { keyOf, family } = packageKeys(plan, place, asked);
  const version = isVersion(asked) ? asked : resolved?.version;
  return {
    async restore(look) {
      if (!trees.reads) return undefined;
      const tree = version === undefined
        ? await trees.store.newestOf(family)
        : await trees.store.find(keyOf(version));
      if (tree === undefined) return undefined;
      const brought = early?.key === tree.key ? early : await bringIn(request, tree, family);
      const seen = await brought?.put(look);
      return seen === undefined
        ? undefined
        : { name: tree.name, unconfirmed: version === undefined, incomplete: false, seen };
    },
    begin: () => markBegin(request),
    keep: () =>
      quietly(request, async () => {
        const manifest = await readPackageJson(insideFolder(env, `${plan.folder}/node_modules/${plan.name}`));
        const installed = manifest?.version;
        // What the tree is called is what is in it; another version than the one that was meant answers no range.
        if (installed === undefined || !isVersion(installed)) return;
        const families = installed === version ? [family] : [];
        await store(request, { key: keyOf(installed), name: `${plan.name}@${installed}`, families }, false);
      }),
  };
}

const packageKeys = ({ name }: PluginPlan, place: readonly string[], asked: string) => ({
  keyOf: (version: string) => treeKey("npm", ...place, name, version),
  family: treeKey("family", ...place, name, asked),
});

/**
 * Brings in, aside from its place, the tree that answered a package's request the last time, so that the answer of the
 * registry is not waited for: that most often means the same version. Undefined where there is none, or it cannot be had.
 */
export async function unpackEarly(request: KeyFacts): Promise<BroughtTree | undefined> {
  const { plan, trees: { source, store } } = request;
  const asked = await askedVersion(source, plan.name);
  if (asked === undefined) return undefined;
  const { keyOf, family } = packageKeys(plan, placeOf(request), asked);
  const tree = isVersion(asked) ? await store.find(keyOf(asked)) : await store.newestOf(family);
  return tree && await bringIn(request, tree, family);
}

/** Arguments: folder aside, command. */
const putScript = '[ ! -e node_modules ] && mv -f -- "$1"/* . && rmdir -- "$1" && shift && { "$@"; true; }';

/**
 * Unpacks a tree aside from its place while its hash is made. Undefined where it is not what was kept, or cannot be brought
 * in: nothing of it stays.
 */
async function bringIn(
  { env, plan, trees, signal }: KeyFacts,
  tree: CachedTree,
  family?: string,
): Promise<BroughtTree | undefined> {
  const aside = `.pth-tree-${crypto.randomUUID()}`;
  let isPut = false;
  const drop = async () => {
    if (isPut) return;
    try {
      await env.exec(["rm", "-rf", "--", aside], { cwd: plan.folder });
    } catch (error) {
      log.debug("a tree that was not needed could not be removed", { error: errorMessage(error) });
    }
  };
  const put = async (look: readonly string[]) => {
    const words = ["sh", "-c", putScript, "sh", aside, ...look];
    const { code, stdout } = await env.exec(words, { cwd: plan.folder });
    isPut = code === 0;
    await drop();
    return isPut ? stdout : undefined;
  };
  const take = (archive: Readable) =>
    trees.unpack(signal ? addAbortSignal(signal, archive) : archive, `${plan.folder}/${aside}`);
  try {
    if (await trees.store.read(tree, take, family)) return { key: tree.key, put, drop };
  } catch (error) {
    log.debug("a kept tree could not be brought in", { tree: tree.name, error: errorMessage(error) });
  }
  await drop();
  signal?.throwIfAborted();
  return undefined;
}

/** Version, range or tag in the manifest that PTH wrote for an `npm:` target. */
export async function askedVersion(source: ConfinedFolder, name: string): Promise<string | undefined> {
  const text = await source.readText("package.json");
  const manifest = JSON.parse(text ?? "{}") as { dependencies?: Record<string, string> };
  return manifest.dependencies?.[name];
}

const mark = ".pth-install-began";

const markBegin = async ({ env, plan }: TreeRequest): Promise<void> =>
  void await env.exec(["sh", "-c", ': > "$1"', "sh", mark], { cwd: plan.folder });

/**
 * Packs what an install made. Exits with 3 where scripts of packages wrote elsewhere, too (a browser in the home folder):
 * the tree alone is then not what was installed, and with 5 where it names the place that it was made in, and no other
 * environment has that. Arguments: archive, mark, whether the plugin has scripts of its own, name of the place.
 */
const packScript = `
elsewhere() {
  find "\${HOME:?}" /usr/local /opt /etc -xdev '(' -path "$HOME/.npm" -o -path "$HOME/.cache/node-gyp" -o -path "$PWD" ')' -prune \\
    -o -type f -cnewer "$2" -print 2>/dev/null | head -n 1
  find . -xdev -path ./node_modules -prune -o -type f -cnewer "$2" ! -path ./package-lock.json ! -path "./$2" -print | head -n 1
}
[ -f "$2" ] && [ -d node_modules ] || exit 4
if grep -q '"hasInstallScript": *true' node_modules/.package-lock.json; then
  # What packages and what the plugin wrote cannot be told apart.
  [ "$3" != own ] || exit 3
  find . -maxdepth 0 -cnewer "$2" >/dev/null 2>&1 || exit 4
  found=$(elsewhere "$@")
  [ -z "$found" ] || { echo "$found"; exit 3; }
fi
rm -f "$2"
archive=$1 place=$4
set -- node_modules
[ ! -f package-lock.json ] || set -- "$@" package-lock.json
tar -cf "$archive" "$@" || exit 1
[ -z "$place" ] || ! LC_ALL=C grep -qF -e "$place" "$archive" || { echo "it names $place"; exit 5; }`;

async function store(
  { env, plan, trees, signal }: TreeRequest,
  entry: Pick<CachedTree, "key" | "name" | "families">,
  ownScripts: boolean,
): Promise<void> {
  if (!trees.keeps || trees.store.limits.maxBytes === 0) return;
  const archive = `${plan.folder}/.pth-tree-${crypto.randomUUID()}.tar`;
  const options = { cwd: plan.folder, ...(signal === undefined ? {} : { signal }) };
  try {
    const own = ownScripts ? "own" : "";
    // Its last part: the folders above may have several names.
    const place = env.isolated ? "" : posix.basename(posix.dirname(env.sourcePath));
    const packed = await env.exec(["sh", "-c", packScript, "sh", archive, mark, own, place], options);
    if (packed.code !== 0) {
      log.debug("the installed tree is not kept", {
        tree: entry.name,
        output: packed.stdout + packed.stderr,
      });
      return;
    }
    const limits = { maxBytes: trees.store.limits.maxBytes, maxEntries: 1, ...(signal ? { signal } : {}) };
    await trees.store.keep(entry, (path) => trees.copyOut(archive, path, limits));
  } finally {
    await env.exec(["rm", "-f", archive, mark], { cwd: plan.folder });
  }
}

/** An install that succeeded does not fail for want of room on the host. */
async function quietly({ signal }: TreeRequest, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    signal?.throwIfAborted();
    log.debug("the installed tree could not be kept", { error: errorMessage(error) });
  }
}
