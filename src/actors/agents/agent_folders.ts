/** Folders of an agent's session, as the agent sees them. */
import { posix } from "node:path";
import type { SessionFolders } from "../../agents/playbook/folder_variables.ts";
import type { SessionResources } from "../session_resources.ts";

export interface AgentFolders extends SessionFolders {
  /** Folder that holds all that the agent is given and leaves. */
  folder: string;
}

/**
 * Chooses the folders of one session; nothing is made. A test that runs again has others.
 * @param name Name of its folder, which no other session has
 */
export function agentFolders(
  live: SessionResources,
  name = `agent-${crypto.randomUUID().slice(0, 8)}`,
): AgentFolders {
  const { sourcePath } = live.environment.require().info.handle;
  const folder = posix.join(posix.dirname(sourcePath), name);
  return {
    folder,
    home: posix.join(folder, "home"),
    temporary: posix.join(folder, "tmp"),
    project: posix.join(folder, "project"),
    plugin: posix.join(sourcePath, live.code.source!.subfolder),
  };
}
