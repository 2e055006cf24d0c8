/** Reads from the host's copy of a plugin what agents are given that do not read plugins themselves. */
import { parse } from "yaml";
import type { PluginParts, PluginServer, PluginText } from "../../agents/adapters/plugin_parts.ts";
import { isObject } from "../../core/values.ts";
import { declaredServers } from "../../plugin/declared_servers.ts";
import { makeExpander } from "../../plugin/expander.ts";
import { readJsonObject } from "../../plugin/package_json.ts";
import { hostFolder, type ReadableFolder } from "../../plugin/readable_folder.ts";

/** Commands, skills and subagents of each kind that are read. */
const mostTexts = 200;
/** Characters of one. */
const longestText = 256 * 1024;

/**
 * Notes take what is not given as the plugin has it.
 * @param inside Folder of the plugin as the agent sees it
 * @param values Variables and configuration that the plugin's servers may refer to
 * @throws {PthError} `INVALID_CONFIG` for a manifest that cannot be understood
 */
export async function readPluginParts(
  path: string,
  inside: string,
  values: Readonly<Record<string, string>> = {},
): Promise<{ parts: PluginParts; notes: string[] }> {
  const folder = hostFolder(path);
  const notes: string[] = [];
  const manifest = await readJsonObject(folder, ".claude-plugin/plugin.json") ?? {};
  const { expand, missing } = makeExpander({ ...values, CLAUDE_PLUGIN_ROOT: inside });
  const servers = (await declaredServers(folder)).map((
    { name, command, env, cwd, url, headers },
  ): PluginServer => ({
    name,
    command: command.map(expand),
    env: valuesOf(env, expand),
    headers: valuesOf(headers, expand),
    ...(cwd === undefined ? {} : { cwd: expand(cwd) }),
    ...(url === undefined ? {} : { url: expand(url) }),
  }));
  if (missing.size > 0) notes.push(`the plugin's servers lack a value for ${[...missing].join(", ")}`);
  for (const key of ["commands", "agents", "skills"]) {
    if (key in manifest) notes.push(`${key} at places that plugin.json names are not loaded`);
  }
  const texts = (below: string) => readTexts(folder, below, inside, notes);
  const parts = {
    name: typeof manifest.name === "string" ? manifest.name : "plugin",
    servers,
    commands: await texts("commands"),
    skills: await skillsIn(folder),
    subagents: await texts("agents"),
    hooks: "hooks" in manifest || await folder.exists("hooks/hooks.json"),
  };
  return { parts, notes };
}

const valuesOf = (values: Readonly<Record<string, string>>, expand: (text: string) => string) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, expand(value)]));

async function skillsIn(folder: ReadableFolder): Promise<string[]> {
  if (!await folder.exists("skills")) return [];
  const names = (await folder.list("skills")).filter((name) => plainName.test(name)).slice(0, mostTexts);
  const whole = await Promise.all(names.map((name) => folder.exists(`skills/${name}/SKILL.md`)));
  return names.filter((_, index) => whole[index]);
}

/** Names become those of files. */
const plainName = /^\w[\w.-]{0,99}$/;

async function readTexts(
  folder: ReadableFolder,
  below: string,
  inside: string,
  notes: string[],
): Promise<PluginText[]> {
  if (!await folder.exists(below)) return [];
  const files = (await folder.list(below)).filter((name) => name.endsWith(".md") && plainName.test(name));
  const texts: PluginText[] = [];
  for (const file of files.slice(0, mostTexts)) {
    const text = await folder.read(`${below}/${file}`) ?? "";
    if (text.length > longestText) notes.push(`${below}/${file} is too long, and not loaded`);
    else {
      const whole = text.replaceAll("${CLAUDE_PLUGIN_ROOT}", inside);
      texts.push({ name: file.slice(0, -".md".length), ...withoutFrontMatter(whole) });
    }
  }
  return texts;
}

function withoutFrontMatter(whole: string): { description: string; text: string } {
  const [head, front] = /^---\r?\n([\s\S]*?)\r?\n---\r?\n/.exec(whole) ?? ["", ""];
  return { description: descriptionIn(front ?? ""), text: whole.slice(head.length).trim() };
}

function descriptionIn(front: string): string {
  try {
    const value: unknown = parse(front);
    return isObject(value) && typeof value.description === "string" ? value.description : "";
  } catch {
    return ""; // such front matter is no reason to leave out the text
  }
}
