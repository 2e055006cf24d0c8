/** Trees of a package made of texts, with an environment that has Node 20 and nothing else. */
import { type PackageTree, packageTree, type TreeEntry } from "../../../src/install_checks/inside_tree.ts";
import type { InstalledTrees, InstallKind } from "../../../src/install_checks/install_kind.ts";

/** Text of a file; one that begins with `->` is a link. Paths that end with `*` have a run bit. */
type Texts = Record<string, string>;

function treeOf(texts: Texts) {
  const entries = Object.entries(texts).map(([path, text]): [string, TreeEntry] => [
    path.replace(/\*$/, ""),
    text.startsWith("->")
      ? { kind: "link", target: text.slice(2) }
      : { kind: path.endsWith("*") ? "program" : "file" },
  ]);
  return packageTree(new Map(entries), (path) => Promise.resolve(texts[path] ?? texts[`${path}*`]));
}

/**
 * @param source files that were not packed, in addition to the installed ones
 * @param packages names below `node_modules`
 */
export const treesOf = (installed: Texts, source: Texts = {}, packages: string[] = []): InstalledTrees => {
  const tree = treeOf(installed);
  return {
    installed: tree,
    source: treeOf({ ...installed, ...source }),
    root: "/work/installed",
    sourceRoot: "/work/source",
    tools: undefined,
    signal: new AbortController().signal,
    env: {
      sourcePath: "/work/source",
      isolated: true,
      image: "none",
      exec: async (command) => {
        const stdout = await answer(command, tree, packages);
        const rest = { signal: null, stderr: "", durationMs: 1, truncated: false };
        return { code: stdout === undefined ? 44 : 0, stdout: stdout ?? "", ...rest };
      },
    },
  };
};

/** Output of the commands by which a folder inside is read; undefined for what is not there. */
async function answer(
  command: readonly string[],
  tree: PackageTree,
  packages: readonly string[],
): Promise<string | undefined> {
  if (command[0] === "node") return "v20.11.1\n";
  if (command[0] === "python3") return "json os sys\n";
  const [script, path] = [command[2]!, command.at(-1)!];
  if (script.includes("ls -A1")) {
    const below = packages.filter((name) => `node_modules/${name}`.startsWith(`${path}/`));
    const names = below.map((name) => `node_modules/${name}`.slice(path.length + 1).split("/")[0]!);
    return [...new Set(names)].join("\n");
  }
  return script.startsWith("[ -e") ? (tree.has(path) ? "" : undefined) : await tree.read(path);
}

/** Code and place of each fault that a kind finds in files. */
export async function faultsOf(kind: InstallKind, trees: InstalledTrees): Promise<string[]> {
  return (await kind.inspect(trees)).map(({ code, place }) => `${code} ${place}`).sort();
}
