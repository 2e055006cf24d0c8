/** A plugin's files as texts, for tests of rules. */
import type { PluginFiles } from "../../../src/definition_lint/plugin_files.ts";

/** @param executable Files that have their run bit */
export function pluginFilesOf(
  files: Record<string, string>,
  executable: readonly string[] = [],
): PluginFiles {
  const normal = (path: string) => path.replace(/^\.\//, "").replace(/\/$/, "");
  const below = (folder: string) =>
    Object.keys(files).filter((file) =>
      folder === "." || folder === "" || file.startsWith(`${normal(folder)}/`)
    );
  return {
    path: "plugin",
    list(folder) {
      const depth = folder === "." || folder === "" ? 0 : normal(folder).split("/").length;
      return Promise.resolve([...new Set(below(folder).map((file) => file.split("/")[depth]!))].sort());
    },
    read: (path) => Promise.resolve(files[normal(path)]),
    stat(path) {
      const file = normal(path);
      if (Object.hasOwn(files, file)) {
        return Promise.resolve({ kind: "file", isExecutable: executable.includes(file) });
      }
      return Promise.resolve(below(file).length > 0 ? { kind: "folder", isExecutable: true } : undefined);
    },
  };
}
