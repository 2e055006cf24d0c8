/** Plans `--undo` for one agent: its files as they were, but for what the person has changed since. */
import { join } from "node:path";
import { readSettings, settingsPath } from "../../platform/settings_file.ts";
import { withoutServer } from "./configured_server.ts";
import { type AgentPlan, placeWithin, type SettingsChange } from "./settings_change.ts";
import type { FoundAgent } from "./find_agents.ts";
import { type InstallRequest, skillName } from "./plan_install.ts";

/** @throws {PthError} `INVALID_CONFIG` or `PATH_REFUSED` for a file that is not edited */
export async function planUndo(
  found: FoundAgent,
  request: InstallRequest,
): Promise<AgentPlan> {
  const notes: string[] = [];
  const changes = [await serverChange(found, request), await skillChange(found, request, notes)]
    .filter((change) => change !== undefined);
  return { agent: found.agent, changes, notes };
}

async function serverChange(
  { agent, root, config: file }: FoundAgent,
  { server, record }: InstallRequest,
): Promise<SettingsChange | undefined> {
  const place = await placeWithin(root, file);
  const there = await readSettings(place);
  if (there === undefined) return undefined;
  const recorded = record.find(({ path }) => path === settingsPath(place));
  const after = withoutServer({ file, format: agent.format, text: there.text }, agent, server, recorded);
  if (after === there.text) return undefined;
  const leaves = after === undefined ? recorded?.folders ?? [] : [];
  return { place, before: there.text, after, mode: there.mode, recorded: undefined, leaves };
}

async function skillChange(
  { root, skills }: FoundAgent,
  { skill, record }: InstallRequest,
  notes: string[],
): Promise<SettingsChange | undefined> {
  if (skills === undefined) return undefined;
  const place = await placeWithin(root, join(skills, skillName, "SKILL.md"));
  const there = await readSettings(place);
  if (there === undefined) return undefined;
  const recorded = record.find(({ path }) => path === settingsPath(place));
  if (there.text !== skill && there.text !== recorded?.inserted) {
    notes.push(`${settingsPath(place)} was changed by hand, and stays`);
    return undefined;
  }
  const leaves = recorded?.folders ?? [join(settingsPath(place), "..")];
  return { place, before: there.text, after: undefined, mode: there.mode, recorded: undefined, leaves };
}
