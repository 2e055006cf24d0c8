/** The slots of the machine of a case of evals, but for its sessions. */
import type { PlannedEval } from "../../../machines/model/eval_request.ts";
import type { EvalGrading, EvalWork } from "../../../machines/model/eval_result.ts";
import { gradeRun } from "../../agents/evals/grade_run.ts";
import { PthError } from "../../core/errors.ts";
import { type GetSession, promiseActor } from "../promise_actor.ts";
import { agentFolders } from "./agent_folders.ts";

export const evalCaseActors = (stage: GetSession) => ({
  grade: promiseActor<EvalGrading, { planned: PlannedEval; work: EvalWork }>(
    stage,
    (live, { planned, work }) => Promise.resolve(live.secrets.redact.value(gradeRun(planned, work))),
  ),
  cleanUp: promiseActor<void, { folders: string[] }>(stage, async (live, { folders }, signal) => {
    const { runtime, info: { handle } } = live.environment.require();
    const paths = folders.map((name) => agentFolders(live, name).folder);
    // Caches may be without the right to write; find follows no links.
    const script = 'find "$@" -type d -exec chmod u+w {} + 2>/dev/null; rm -rf "$@"';
    const { code, stderr } = await runtime.exec(handle, ["sh", "-c", script, "sh", ...paths], { signal });
    if (code !== 0) throw new PthError("EXEC_FAILED", `Cannot remove ${paths.join(", ")}: ${stderr.trim()}`);
  }),
});
