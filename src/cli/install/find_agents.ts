/** Finds the agents of this machine, or of a project. */
import { join } from "node:path";
import { pathExists } from "../../platform/files.ts";
import { type KnownAgent, knownAgents, type MachineFolders } from "./known_agents.ts";

/** An agent that is here, with absolute paths. */
export interface FoundAgent {
  agent: KnownAgent;
  /** The home, or the project: nothing is written outside of it and of the agent's own folder. */
  root: string;
  config: string;
  skills?: string;
  project: boolean;
}

/** @param project Folder of a project; undefined: the user's own configuration. */
export async function findAgents(folders: MachineFolders, project?: string): Promise<FoundAgent[]> {
  const found: FoundAgent[] = [];
  for (const agent of knownAgents) {
    if (await isHere(agent, folders, project)) found.push(await located(agent, folders, project));
  }
  return found;
}

/** By its folders, or its program; in a project also by what it keeps there. */
async function isHere(agent: KnownAgent, folders: MachineFolders, project?: string): Promise<boolean> {
  const signs = [
    ...agent.user(folders).signs,
    ...(project === undefined ? [] : agent.project.signs.map((sign) => join(project, sign))),
    ...(folders.env("PATH") ?? "").split(":").filter((folder) => folder.startsWith("/"))
      .map((folder) => join(folder, agent.program)),
  ];
  return await firstExisting(signs) !== undefined;
}

async function located(agent: KnownAgent, folders: MachineFolders, project?: string): Promise<FoundAgent> {
  const { config, skills } = project === undefined ? agent.user(folders) : agent.project;
  const root = project ?? folders.home;
  const files = config.map((file) => project === undefined ? file : join(project, file));
  return {
    agent,
    root,
    config: await firstExisting(files) ?? files[0]!,
    ...(skills === undefined ? {} : { skills: project === undefined ? skills : join(project, skills) }),
    project: project !== undefined,
  };
}

async function firstExisting(paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) if (await pathExists(path)) return path;
  return undefined;
}
