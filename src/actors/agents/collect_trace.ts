/** Slot `agent_session.collect`: the records that an agent left, as one trace; and what the model's requests came to. */
import { posix } from "node:path";
import type {
  AgentSessionRequest,
  CollectedSession,
  PreparedAgent,
} from "../../../machines/model/agent_session.ts";
import type { AgentWorkInput } from "../../../machines/agent_session/agent_session_setup.ts";
import { agentNamed } from "../../agents/adapters/agents.ts";
import { traceNormalizer } from "../../agents/adapters/trace_normalizer.ts";
import { type RecordedAgent, repackRequests } from "../../agents/recording/pack_requests.ts";
import { requestDrift } from "../../agents/recording/request_drift.ts";
import { type GetSession, promiseActor } from "../promise_actor.ts";
import type { LiveEnvironment } from "../stores/environment_holder.ts";
import type { AgentLog, AgentLogs } from "./agent_logs.ts";
import { changedFiles, gitChanged, projectFiles } from "./project_files.ts";
import { projectGit } from "./project_git.ts";
import { splitTimes, tokensOf } from "./split_times.ts";

/** Bytes of all records together. */
const longestRecords = 64 * 1024 * 1024;
/** Begin of a line that names the file of the lines below it; records are JSON. */
const heading = "#pth-record ";

export const collectTrace = (stage: GetSession, logs: AgentLogs) =>
  promiseActor<CollectedSession, AgentWorkInput & { prepared: PreparedAgent }>(
    stage,
    async (live, { requestId, run, prepared }, signal) => {
      const environment = live.environment.require();
      const agent = agentNamed(run.agent);
      const before = prepared.git;
      const [{ files, warnings }, after, git] = await Promise.all([
        readRecords(environment, prepared.folder, agent.records, signal),
        projectFiles(environment, prepared.cwd, signal),
        projectGit(environment, prepared.cwd, signal, before?.commit ?? ""),
      ]);
      const { output, exchanges, results, recorder, modelInputs, pendingHooks = [] } = logs.of(requestId);
      const source = live.code.source!;
      const place = {
        folder: prepared.folder,
        project: prepared.cwd,
        plugin: posix.join(environment.info.handle.sourcePath, source.subfolder),
        url: prepared.url,
        prompt: run.prompt,
      };
      const { warnings: more, timeline, ...trace } = agent.trace({
        output,
        files,
        exchanges,
        resultOf: (exchange, call) => results.of(exchange, call),
      }, place);
      const lost = results.lost === 0 ? [] : [`${results.lost} results of tools were too long to keep`];
      const states = {
        ...(before === undefined ? {} : { before }),
        ...(git.git === undefined ? {} : { after: git.git }),
        commits: git.commits,
      };
      const recorded = recordedOf(
        { agent: run.agent, version: prepared.version, model: run.model, prompt: run.prompt },
        run,
        logs.of(requestId),
      );
      const session = output.map((line) => agent.sessionOf?.(line)).find((id) => id !== undefined);
      const timed = splitTimes(timeline);
      return live.secrets.redact.value<CollectedSession>({
        trace: {
          ...trace,
          timeline: timed.timeline,
          changes: changedFiles(prepared.before, after),
          ...(before === undefined && git.git === undefined
            ? {}
            : { git: traceNormalizer(place)(states) as typeof states }),
          warnings: [
            ...prepared.notes,
            ...warnings,
            ...lost,
            ...more,
            ...recorder?.notes ?? [],
            ...(git.problem === undefined ? [] : [git.problem]),
          ],
        },
        ...recorded,
        ...(modelInputs === undefined || modelInputs.cut ? {} : { modelInput: modelInputs.texts }),
        facts: {
          ...(session === undefined ? {} : { session }),
          times: timed.times,
          tokens: tokensOf(exchanges),
          gitChanged: gitChanged(prepared.before, after),
        },
        ...(pendingHooks.length === 0 ? {} : { pendingHooks }),
      });
    },
  );

/** The playbook of a session on a real model; of a recorded playbook its drift, and the requests as they are now. */
function recordedOf(
  agent: RecordedAgent,
  { playbook: { recorded } }: AgentSessionRequest,
  { recorder, replayed }: AgentLog,
): Pick<CollectedSession, "drift" | "recorded"> {
  if (replayed !== undefined && recorded !== undefined) {
    const { came, images: { tools } } = replayed;
    const drift = requestDrift(recorded, came, tools);
    return drift.length === 0
      ? { drift }
      : { drift, recorded: { recorded: repackRequests(agent, recorded, came, tools) } };
  }
  const made = recorder?.playbook(agent);
  return made === undefined ? { drift: [] } : { drift: [], recorded: made };
}

async function readRecords(
  { runtime, info }: LiveEnvironment,
  folder: string,
  globs: readonly string[],
  signal: AbortSignal,
): Promise<{ files: Record<string, string>; warnings: string[] }> {
  if (globs.length === 0) return { files: {}, warnings: [] };
  const paths = globs.flatMap((glob, index) => [...(index === 0 ? [] : ["-o"]), "-path", glob]);
  const script = `cd "$1" && shift && find . -type f '(' "$@" ')' -exec ` +
    `sh -c 'for file; do printf "\\n${heading}%s\\n" "$file"; cat "$file"; done' sh {} +`;
  const { stdout } = await runtime.exec(info.handle, ["sh", "-c", script, "sh", folder, ...paths], {
    signal,
    maxBytes: longestRecords,
  });
  const files: Record<string, string> = {};
  for (const section of `\n${stdout}`.split(`\n${heading}`).slice(1)) {
    const end = section.indexOf("\n");
    files[section.slice(0, end).replace(/^\.\//, "")] = section.slice(end + 1);
  }
  const cut = stdout.length > 0 && !stdout.startsWith(`\n${heading}`);
  return { files, warnings: cut ? ["the records are longer than 64 MiB: their beginning is missing"] : [] };
}
