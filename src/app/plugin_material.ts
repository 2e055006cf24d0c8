/** What generators read of the plugin of a session: its tools, sources, documents and declared options. */
import { join } from "node:path";
import { folderSources, type PluginSources, textSources } from "../diagnosis/plugin_sources.ts";
import { entriesOf, exists } from "../platform/files.ts";
import { type DeclaredVariable, declaredVariables } from "../plugin/config.ts";
import { referencesIn } from "../plugin/expand.ts";
import { chooseServer, type DeclaredServer, declaredServers } from "../plugin/mcp_config.ts";
import { hostFolder, type ReadableFolder } from "../plugin/readable_folder.ts";
import type { DocumentText, PluginMaterial } from "../testing/generator.ts";
import type { SessionContext } from "./session_context.ts";

/** Folders of documents beside those at the top. */
const documentFolders = ["", "docs", "doc", "examples"];
const mostDocuments = 30;
const mostCharacters = 300_000;

/** The same session state gives the same material, in the same order. */
export async function pluginMaterial({ live }: SessionContext): Promise<PluginMaterial> {
  const path = await codeFolder(live.source!);
  const folder = path === undefined ? undefined : hostFolder(path);
  return {
    tools: live.tools,
    sources: path === undefined ? noSources : folderSources(path),
    documents: () => folder === undefined ? Promise.resolve([]) : readDocuments(folder),
    options: async () => {
      if (folder === undefined) return [];
      const { command, url } = live.target;
      const explicit = command !== undefined || url !== undefined;
      const server = explicit ? undefined : chooseServer(await declaredServers(folder), live.target.server);
      return withOwnName(await declaredVariables(folder, server), server);
    },
  };
}

/** Options that the server reads under their own name: what a declaration puts elsewhere is put there when it is planned. */
function withOwnName(options: DeclaredVariable[], server: DeclaredServer | undefined): DeclaredVariable[] {
  if (server === undefined) return options;
  const texts = [
    ...server.command,
    ...Object.values(server.env),
    ...Object.values(server.headers),
    server.url ?? "",
  ];
  const elsewhere = new Set(referencesIn(texts).map(({ name }) => name));
  return options.filter(({ name }) => !elsewhere.has(name) && !(name in server.env));
}

const noSources: PluginSources = textSources({});

/** Where the plugin's own code lies on the host: of an npm package, where it was installed. */
async function codeFolder(
  { worktree, subfolder, source }: NonNullable<SessionContext["live"]["source"]>,
): Promise<string | undefined> {
  const name = /^npm:((?:@[^/@]+\/)?[^/@]+)/.exec(source)?.[1];
  const folder = name === undefined ? join(worktree, subfolder) : join(worktree, "node_modules", name);
  return await exists(folder) ? folder : undefined;
}

async function readDocuments(folder: ReadableFolder): Promise<DocumentText[]> {
  const found: DocumentText[] = [];
  for (const below of documentFolders) {
    for (const name of await markdownFiles(join(folder.path, below))) {
      const path = below === "" ? name : `${below}/${name}`;
      const text = await folder.read(path);
      if (text !== undefined && text.length <= mostCharacters && found.length < mostDocuments) {
        found.push({ path, text });
      }
    }
  }
  return found;
}

/** What tells of changes and rules says nothing about how the plugin is used today. */
const aside = /^(?:changelog|changes|history|contributing|code_of_conduct|security|license)/i;

async function markdownFiles(path: string): Promise<string[]> {
  if (!await exists(path)) return [];
  const names = (await entriesOf(path)).filter(({ isFile }) => isFile).map(({ name }) => name);
  const wanted = names.filter((name) => /\.(?:md|markdown)$/i.test(name) && !aside.test(name));
  return wanted.sort((a, b) => Number(/^readme/i.test(b)) - Number(/^readme/i.test(a)) || (a < b ? -1 : 1));
}
