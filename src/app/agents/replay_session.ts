/** A session on a recorded playbook, of the session's copy or of this machine. */
import { isAbsolute } from "node:path";
import type { Playbook } from "../../../machines/model/playbook.ts";
import { loadPlaybooks } from "../../agents/playbook/load_playbooks.ts";
import { readPlaybook } from "../../agents/playbook/read_playbook.ts";
import { withRecorded } from "../../agents/recording/write_playbook.ts";
import type { RecordedSession, ReplayRequest } from "../../api/agent_commands.ts";
import { readInside, sourcePathInside } from "../../contract/source_path_inside.ts";
import { PthError } from "../../core/errors.ts";
import { definedOnly } from "../../core/values.ts";
import { openConfined } from "../../platform/confined/open_confined.ts";
import { requireInside } from "../../platform/write_inside.ts";
import type { SessionParts } from "../session/session_parts.ts";
import { chosenAgent } from "./chosen_agent.ts";
import { copyOf, type RunAgentSession } from "./record_session.ts";

/** @throws {PthError} as `AgentCommands.replay` */
export async function replaySession(
  context: SessionParts,
  { playbook: place, agent, command, folder, acceptDrift = false, update = false, project, timeoutMs }:
    ReplayRequest,
  run: RunAgentSession,
): Promise<RecordedSession> {
  if (update && isAbsolute(place)) {
    throw new PthError("INVALID_INPUT", `Cannot update ${place}: it is not in the session's copy`, {
      next: ["Name a playbook by its path in the plugin's folder, or leave update away"],
    });
  }
  const { playbook, text } = await readRecording(context, place);
  const { recorded } = playbook;
  if (recorded === undefined) {
    throw new PthError("INVALID_INPUT", `Cannot replay ${place}: it has no recorded requests`, {
      next: [{ mcp: "Play it with pth_run_agent" }],
    });
  }
  const result = await run({
    ...await chosenAgent({ agent: agent ?? recorded.agent, ...definedOnly({ command, folder }) }),
    ...definedOnly({ model: recorded.model, project }),
    prompt: recorded.prompt,
    playbook,
    acceptDrift: acceptDrift || update,
    timeoutMs,
  });
  const requests = result.recorded?.recorded;
  if (!update || requests === undefined) return { result };
  const file = sourcePathInside(place);
  const yaml = withRecorded(text, requests);
  await requireInside(copyOf(context), file);
  await openConfined(copyOf(context)).write(file, yaml);
  return { result, playbook: { yaml, turns: result.played, file } };
}

async function readRecording(
  context: SessionParts,
  place: string,
): Promise<{ playbook: Playbook; text: string }> {
  if (isAbsolute(place)) {
    const found = await loadPlaybooks(place, false);
    if ("each" in found) return { playbook: found.each, text: "" };
    throw new PthError("INVALID_INPUT", `Cannot replay ${place}: it is a folder of playbooks`, {
      next: ["Name one of its files"],
    });
  }
  const text = await readInside(copyOf(context), sourcePathInside(place));
  if (text !== undefined) return { playbook: readPlaybook(place, text), text };
  throw new PthError("TARGET_NOT_FOUND", `Cannot read playbook: there is no file ${place} in the plugin`);
}
