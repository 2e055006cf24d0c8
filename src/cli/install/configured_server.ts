/** The entry of PTH's server in one agent's configuration: as it is, as it should be, and without it. */
import { isDeepStrictEqual } from "node:util";
import { PthError } from "../../core/errors.ts";
import { isObject } from "../../core/values.ts";
import { type ConfigText, configuredEntry, sameButEntry, withoutEntry } from "./config_format.ts";
import type { Entry, EntryPath } from "./entry_editor.ts";
import type { InstalledFile } from "./install_record.ts";
import type { KnownAgent } from "./known_agents.ts";
import { type ServerCommand, startsTestServer } from "./server_command.ts";
import { withoutReplacement } from "./text_replacement.ts";

/** Name of the server in every agent. */
const serverName = "pth";

export const serverPath = ({ table }: Pick<KnownAgent, "table">): EntryPath => [table, serverName];

/**
 * The entry that an earlier install made, of this PTH or another; undefined where there is none.
 * @throws {PthError} `INVALID_CONFIG` for a broken file, and for a server of that name that is another one
 */
export function installedEntry(config: ConfigText, agent: KnownAgent): Entry | undefined {
  const entry = configuredEntry(config, serverPath(agent));
  if (entry === undefined || startsTestServer(entry)) return entry;
  const message =
    `Cannot install in ${agent.title}: ${config.file} already names a server "${serverName}" that is another one`;
  throw new PthError("INVALID_CONFIG", message, {
    next: [`Rename that entry of "${agent.table}", or remove it, and install again`],
  });
}

/** The entry as it should be; what the person has added to an earlier one stays. */
export function wantedEntry(agent: KnownAgent, server: ServerCommand, earlier: Entry = {}): Entry {
  const { [agent.variables]: variables, ...others } = earlier;
  const all = { ...(isObject(variables) ? variables : {}), ...server.env };
  const start = agent.entry(server);
  return {
    ...start,
    ...agent.defaults,
    ...others,
    ...start,
    ...(Object.keys(all).length === 0 ? {} : { [agent.variables]: all }),
  };
}

/**
 * The file's text as it was before the install; undefined where there was no file. Where the piece that was written is
 * not there any more as it was, the entry alone goes, and what the person has changed stays. Without a record only an
 * entry of this very PTH goes.
 */
export function withoutServer(
  config: ConfigText,
  agent: KnownAgent,
  server: ServerCommand,
  recorded: InstalledFile | undefined,
): string | undefined {
  const path = serverPath(agent);
  const exact = recorded && withoutReplacement(config.text, recorded);
  if (exact !== undefined && sameButEntry(config, exact, path)) {
    return recorded!.created && exact === "" ? undefined : exact;
  }
  const entry = configuredEntry(config, path);
  if (entry === undefined || !startsTestServer(entry)) return config.text;
  if (recorded === undefined && !isDeepStrictEqual(wantedEntry(agent, server, entry), entry)) {
    return config.text;
  }
  return withoutEntry(config, path, { tableIsOwn: recorded?.inserted.includes(`"${agent.table}"`) ?? false });
}
