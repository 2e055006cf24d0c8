/** Reads what a Claude Code plugin consists of: paths of its manifest, its parts, and the files that its commands name. */
import { posix } from "node:path";
import type { PackageParts } from "../../machines/model/install_check.ts";
import { isObject, jsonIn } from "../core/values.ts";
import type { PackageTree } from "./inside_tree.ts";

export const claudeManifestFile = ".claude-plugin/plugin.json";
const hooksFile = "hooks/hooks.json";
const serversFile = ".mcp.json";

/** Value that a manifest holds, with the place of it. */
interface Placed<Value> {
  place: string;
  value: Value;
}

/** A command of a hook or a server. */
export interface PluginCommand {
  place: string;
  /** Words that name files; the first of a server's command, and the whole line of a hook's. */
  words: string[];
  /** Whether a shell reads it. */
  shell: boolean;
}

const pathKeys = ["commands", "agents", "skills", "hooks", "mcpServers", "outputStyles", "lspServers"];

/** Paths that the manifest names in place of the usual folders. */
export function claudePaths(manifest: Record<string, unknown>): Placed<string>[] {
  return pathKeys.flatMap((key) => {
    const value = manifest[key];
    const values = Array.isArray(value) ? value : [value];
    const listed = values.flatMap((one, index) =>
      typeof one === "string"
        ? [{ place: `${claudeManifestFile}: ${key}${values.length > 1 ? `[${index}]` : ""}`, value: one }]
        : []
    );
    const sources = key === "commands" && isObject(value)
      ? Object.entries(value).flatMap(([name, one]) =>
        isObject(one) && typeof one.source === "string"
          ? [{ place: `${claudeManifestFile}: commands.${name}.source`, value: one.source }]
          : []
      )
      : [];
    return [...listed, ...sources];
  });
}

/** The manifest; empty where there is none, undefined where it cannot be read. */
export async function claudeManifest(tree: PackageTree): Promise<Record<string, unknown> | undefined> {
  const text = await tree.read(claudeManifestFile);
  if (text === undefined) return {};
  const value = jsonIn(text);
  return isObject(value) ? value : undefined;
}

/** Objects of a kind: those of the usual file, and those that the manifest holds or names. */
async function placedObjects(
  tree: PackageTree,
  manifest: Record<string, unknown>,
  key: "hooks" | "mcpServers",
): Promise<Placed<Record<string, unknown>>[]> {
  const value = manifest[key];
  const files = [
    key === "hooks" ? hooksFile : serversFile,
    ...(Array.isArray(value) ? value : [value]).filter((one) => typeof one === "string").map((one) =>
      posix.normalize(one)
    ),
  ];
  const inFiles = await Promise.all([...new Set(files)].map(async (file) => {
    const read = jsonIn(await tree.read(file) ?? "");
    return isObject(read) ? [{ place: file, value: isObject(read[key]) ? read[key] : read }] : [];
  }));
  const inline = (Array.isArray(value) ? value : [value]).filter(isObject).map((one) => ({
    place: claudeManifestFile,
    value: key === "hooks" && isObject(one.hooks) ? one.hooks : one,
  }));
  return [...inFiles.flat(), ...inline];
}

interface HookEntry {
  event: string;
  matcher: string;
  command: string | undefined;
  place: string;
}

async function hooksOf(tree: PackageTree, manifest: Record<string, unknown>): Promise<HookEntry[]> {
  const found: HookEntry[] = [];
  for (const { place, value } of await placedObjects(tree, manifest, "hooks")) {
    for (const [event, groups] of Object.entries(value)) {
      for (const group of Array.isArray(groups) ? groups.filter(isObject) : []) {
        for (const hook of Array.isArray(group.hooks) ? group.hooks.filter(isObject) : []) {
          const matcher = typeof group.matcher === "string" ? group.matcher : "";
          const command = typeof hook.command === "string" ? hook.command : undefined;
          found.push({ event, matcher, command, place: `${place}: ${event}` });
        }
      }
    }
  }
  return found;
}

/** Commands of hooks and of servers. */
export async function claudeCommands(
  tree: PackageTree,
  manifest: Record<string, unknown>,
): Promise<PluginCommand[]> {
  const hooks = (await hooksOf(tree, manifest)).flatMap(({ place, command }): PluginCommand[] =>
    command === undefined ? [] : [{ place, words: [command], shell: true }]
  );
  const servers = (await placedObjects(tree, manifest, "mcpServers")).flatMap(({ place, value }) =>
    Object.entries(value).flatMap(([name, server]): PluginCommand[] => {
      if (!isObject(server) || typeof server.command !== "string") return [];
      const args = (Array.isArray(server.args) ? server.args : []).filter((arg) => typeof arg === "string");
      return [{ place: `${place}: mcpServers.${name}`, words: [server.command, ...args], shell: false }];
    })
  );
  return [...hooks, ...servers];
}

/** Names of the parts that the plugin's files show. */
export async function claudeParts(tree: PackageTree): Promise<Omit<PackageParts, "tools">> {
  const manifest = await claudeManifest(tree) ?? {};
  const paths = [...tree.entries.keys()];
  const under = (key: string): string[] =>
    claudePaths(manifest).filter(({ place }) => place.startsWith(`${claudeManifestFile}: ${key}`))
      .map(({ value }) => posix.normalize(value).replace(/\/$/, ""));
  const texts = (usual: string): string[] => {
    const names = [usual, ...under(usual)].flatMap((folder) =>
      paths.flatMap((path) =>
        !path.endsWith(".md")
          ? []
          : path === folder
          ? [posix.basename(path, ".md")]
          : path.startsWith(`${folder}/`)
          ? [path.slice(folder.length + 1, -".md".length)]
          : []
      )
    );
    return [...new Set(names)].sort();
  };
  const skillFolders = ["skills", ...under("skills")];
  const skills = paths.filter((path) => posix.basename(path) === "SKILL.md").map(posix.dirname).filter((
    path,
  ) => skillFolders.some((folder) => folder === "." || path === folder || posix.dirname(path) === folder))
    .map((path) => posix.basename(path));
  const hooks = (await hooksOf(tree, manifest)).map(({ event, matcher }) =>
    matcher === "" ? event : `${event} (${matcher})`
  );
  return {
    skills: [...new Set(skills)].sort(),
    commands: texts("commands"),
    agents: texts("agents"),
    hooks: [...new Set(hooks)].sort(),
    programs: [],
  };
}
