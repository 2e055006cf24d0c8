/** A session with a real model that becomes a playbook, which may lie in the session's copy. */
import { join } from "node:path";
import type { AgentSessionRequest, AgentSessionResult } from "../../../machines/model/agent_session.ts";
import { checkRealModel } from "../../agents/model_api/check_real_model.ts";
import { writePlaybook } from "../../agents/recording/write_playbook.ts";
import type { RecordedSession, RecordRequest } from "../../api/agent_commands.ts";
import { sourcePathInside } from "../../contract/source_path_inside.ts";
import { errorMessage, PthError } from "../../core/errors.ts";
import { definedOnly } from "../../core/values.ts";
import { openConfined } from "../../platform/confined/open_confined.ts";
import { requireInside } from "../../platform/write_inside.ts";
import type { SessionParts } from "../session/session_parts.ts";
import { chosenAgent } from "./chosen_agent.ts";

/** Runs one session of an agent. */
export type RunAgentSession = (request: AgentSessionRequest) => Promise<AgentSessionResult>;

const names = {
  upstream: "upstream",
  upstreamKey: "upstreamKey",
  budgetCost: "budgetCost",
  prices: "prices { input, output }",
};

/** @throws {PthError} as `AgentCommands.record` */
export async function recordSession(
  context: SessionParts,
  { agent, command, folder, prompt, out, project, timeoutMs, ...named }: RecordRequest,
  run: RunAgentSession,
): Promise<RecordedSession> {
  const { real, problems } = checkRealModel(named, names);
  if (problems.length > 0) {
    throw new PthError("INVALID_INPUT", `Cannot record: ${problems.join("; ")}`, { problems });
  }
  const file = out === undefined ? undefined : sourcePathInside(out);
  if (file !== undefined) await requireFree(context, file);
  const result = await run({
    ...await chosenAgent({ agent, ...definedOnly({ command, folder }) }),
    ...real,
    ...definedOnly({ project }),
    prompt,
    playbook: { lanes: [] },
    timeoutMs,
  });
  const { recorded } = result;
  if (recorded === undefined) return { result };
  const yaml = writePlaybook(recorded);
  const turns = [recorded.turns ?? [], ...(recorded.lanes ?? []).map(({ turns }) => turns)].flat().length;
  if (file === undefined) return { result, playbook: { yaml, turns } };
  try {
    // The agent may have put something in its place.
    await requireFree(context, file);
    await openConfined(copyOf(context)).write(file, yaml);
    return { result, playbook: { yaml, turns, file } };
  } catch (error) {
    // What a session with a real model has cost is not thrown away.
    return { result, playbook: { yaml, turns, problem: errorMessage(error) } };
  }
}

/** The plugin's folder in the session's copy. */
export const copyOf = ({ live: { code: { source } } }: SessionParts): string =>
  join(source!.worktree, source!.subfolder);

const yamlFile = /\.ya?ml$/i;

async function requireFree(context: SessionParts, file: string): Promise<void> {
  if (!yamlFile.test(file)) {
    throw new PthError("INVALID_INPUT", `Cannot write ${file}: a recording is a YAML file`, {
      next: ["Give a path such as .pth/recorded.yaml"],
    });
  }
  const folder = copyOf(context);
  await requireInside(folder, file);
  if (await openConfined(folder).stat(file) === undefined) return;
  throw new PthError("INVALID_INPUT", `Cannot write ${file}: it is there already, and may have been edited`, {
    next: ["Name another file"],
  });
}
