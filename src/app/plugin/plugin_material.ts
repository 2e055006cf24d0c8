/** Material about a session's plugin that generators read: its tools, sources, documents and declared options. */
import { callPlace } from "../../actors/session/call_place.ts";
import { exampleFolderOf } from "../../actors/tests/example_folder.ts";
import { sessionSources } from "../../actors/session/session_sources.ts";
import { textSources } from "../../plugin/plugin_sources.ts";
import { type DeclaredVariable, declaredVariables } from "../../plugin/declared_variables.ts";
import { configReferences } from "../../plugin/expander.ts";
import { chooseServer, type DeclaredServer, declaredServers } from "../../plugin/declared_servers.ts";
import type { ReadableFolder } from "../../plugin/readable_folder.ts";
import type { DocumentText, PluginMaterial } from "../../testing/generator.ts";
import type { SessionParts } from "../session/session_parts.ts";

/** Folders of documents in addition to those at the top. */
const documentFolders = ["", "docs", "doc", "examples"];
const mostDocuments = 30;
const mostCharacters = 300_000;

/** The same session state gives the same material, in the same order. */
export function pluginMaterial({ live }: SessionParts): PluginMaterial {
  const own = sessionSources(live);
  const folder = own?.folder;
  return {
    tools: live.plugin.tools,
    place: callPlace(live),
    exampleFolder: () => exampleFolderOf(live),
    sources: own?.sources ?? textSources({}),
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
  const elsewhere = new Set(configReferences(texts).map(({ name }) => name));
  return options.filter(({ name }) => !elsewhere.has(name) && !(name in server.env));
}

async function readDocuments(folder: ReadableFolder): Promise<DocumentText[]> {
  const found: DocumentText[] = [];
  for (const below of documentFolders) {
    for (const name of markdownFiles(await folder.list(below))) {
      const path = below === "" ? name : `${below}/${name}`;
      const text = await folder.read(path);
      if (text !== undefined && text.length <= mostCharacters && found.length < mostDocuments) {
        found.push({ path, text });
      }
    }
  }
  return found;
}

/** Documents about changes and rules, which say nothing about how the plugin is used today. */
const aside = /^(?:changelog|changes|history|contributing|code_of_conduct|security|license)/i;

function markdownFiles(names: readonly string[]): string[] {
  const wanted = names.filter((name) => /\.(?:md|markdown)$/i.test(name) && !aside.test(name));
  return wanted.sort((a, b) => Number(/^readme/i.test(b)) - Number(/^readme/i.test(a)) || (a < b ? -1 : 1));
}
