/** Checks that paths which a plugin, a fix, a test or an archive named are opened by the confined folder, which follows no link. */
import { defineCheck } from "./check.ts";

/** Parts whose paths come from outside. */
const parts =
  /^src\/(?:fixes|fixers|git|export|contract|diagnosis|plugin|testing|app)\/|^src\/session\/(?:take_files|list_source_files|resume\/save_uncommitted_work)\.ts$|^src\/runtimes\/shared\/unpack\.ts$|^src\/actors\/branch\//;

/** Functions of `platform/files.ts` that read, write or move by a path as it stands. */
const byPath =
  /^(?:chmod|copyFile|listFolder|readDir|readFile|readLink|readTextFile|readTextIfExists|remove|rename|symlink|writeFile|writeTextAtomically|writeTextFile)$/;

/** Files that may, each with the reason. */
export const exempt: Readonly<Record<string, string>> = {
  "src/git/make_repository.ts": "writes into a repository of PTH's own, which no environment sees",
  "src/fixes/merge_backwards.ts": "reads a temporary folder that git filled",
  "src/git/session_branch.ts": "reads HEAD of the session's git folder",
  "src/fixers/fixer_checkout.ts": "makes the checkout's own folder, beside the worktree",
  "src/fixers/edits_of.ts": "writes a settings file into a temporary folder of its own",
  "src/git/worktree.ts": "looks for names that are free in the folder of worktrees",
  "src/diagnosis/disk_state.ts": "lists PTH's own folders",
  "src/testing/run/test_history.ts": "reads and writes under PTH's own state folder",
  "src/plugin/installed_trees/tree_store.ts": "reads and writes under PTH's own state folder",
  "src/plugin/installed_trees/fitting_node.ts":
    "works in a temporary folder of its own, on a package of npm's registry",
  "src/plugin/read_secrets_file.ts": "reads a file that the user named",
};

export default defineCheck({
  name: "paths from outside are opened by the confined folder",
  async run(tree) {
    const problems: string[] = [];
    const found = new Set<string>();
    for (const path of tree.paths.filter((path) => parts.test(path))) {
      const names = takenFrom(await tree.read(path)).filter((name) => byPath.test(name));
      if (names.length > 0) found.add(path);
      if (names.length === 0 || exempt[path] !== undefined) continue;
      problems.push(
        `${path}: takes ${names.join(", ")} from src/platform/files.ts; use openConfined ` +
          "(src/platform/confined/), or say in scripts/checks/confined_paths.ts why not",
      );
    }
    for (const path of Object.keys(exempt)) {
      if (tree.paths.includes(path) && !found.has(path)) {
        problems.push(
          `${path}: needs no exemption any more; take it out of scripts/checks/confined_paths.ts`,
        );
      }
    }
    return problems;
  },
});

/** Names that a file imports from, or exports of, `platform/files.ts`. */
function takenFrom(text: string): string[] {
  const code = text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
  if (/(?:import|export)\s*\*[^;]*platform\/files\.ts"/.test(code)) return ["readFile"];
  return [...code.matchAll(/(?:import|export)\s*\{([^}]*)\}\s*from\s*"[^"]*platform\/files\.ts"/g)]
    .flatMap(([, names = ""]) => names.split(",").map((name) => name.trim().split(/\s+as\s+/)[0]!));
}
