/** Plans an install for one agent: the entry of its configuration, and the skill. Nothing is written here. */
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { readSettings, settingsPath } from "../../platform/settings_file.ts";
import { withEntry } from "./config_format.ts";
import { installedEntry, serverPath, wantedEntry, withoutServer } from "./configured_server.ts";
import { type AgentPlan, placeWithin, recordedChange, type SettingsChange } from "./settings_change.ts";
import type { FoundAgent } from "./find_agents.ts";
import type { InstalledFile } from "./install_record.ts";
import type { ServerCommand } from "./server_command.ts";

/** Name of the skill, and of its folder. */
export const skillName = "pth-tdd";

export interface InstallRequest {
  server: ServerCommand;
  /** Text of the skill. */
  skill: string;
  record: readonly InstalledFile[];
}

/** Permissions of a configuration that is made, for its owner alone: variables of servers hold secrets. */
const ownerOnly = 0o600;

/** @throws {PthError} `INVALID_CONFIG` or `PATH_REFUSED` for a file that is not edited */
export async function planInstall(found: FoundAgent, request: InstallRequest): Promise<AgentPlan> {
  const notes: string[] = [];
  const changes = [await serverChange(found, request), await skillChange(found, request, notes)]
    .filter((change) => change !== undefined);
  if (found.project && found.agent.projectNote !== undefined) notes.push(found.agent.projectNote);
  return { agent: found.agent, changes, notes };
}

const recordedAt = (record: readonly InstalledFile[], path: string): InstalledFile | undefined =>
  record.find((file) => file.path === path);

async function serverChange(
  { agent, root, config: file, project }: FoundAgent,
  { server, record }: InstallRequest,
): Promise<SettingsChange | undefined> {
  const place = await placeWithin(root, file);
  const there = await readSettings(place);
  const config = { file, format: agent.format, text: there?.text ?? "" };
  const earlier = installedEntry(config, agent);
  const entry = wantedEntry(agent, server, earlier);
  if (isDeepStrictEqual(earlier, entry)) return undefined;
  const after = withEntry(config, serverPath(agent), entry);
  const recorded = recordedAt(record, settingsPath(place));
  // An entry that another PTH's record knows of is that one's.
  const restored = recorded && there ? withoutServer(config, agent, server, recorded) : there?.text;
  return {
    place,
    before: there?.text,
    after,
    mode: there?.mode ?? (project ? undefined : ownerOnly),
    recorded: await recordedChange(place, restored, after, earlier && recorded),
    leaves: [],
  };
}

async function skillChange(
  { agent, root, skills }: FoundAgent,
  { skill, record }: InstallRequest,
  notes: string[],
): Promise<SettingsChange | undefined> {
  if (skills === undefined) {
    notes.push(`${agent.title} has no folder for skills: its server tells the model what it does`);
    return undefined;
  }
  const place = await placeWithin(root, join(skills, skillName, "SKILL.md"));
  const there = await readSettings(place);
  if (there?.text === skill) return undefined;
  const recorded = recordedAt(record, settingsPath(place));
  if (there !== undefined && there.text !== recorded?.inserted) {
    notes.push(`${settingsPath(place)} was changed by hand, and stays; remove it to get the present one`);
    return undefined;
  }
  return {
    place,
    before: there?.text,
    after: skill,
    mode: there?.mode,
    recorded: await recordedChange(place, undefined, skill, there && recorded),
    leaves: [],
  };
}
