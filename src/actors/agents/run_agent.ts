/** Slot `agent_session.work`: the agent's process in the environment, from its start to its end. */
import { type EventObject, fromCallback } from "xstate";
import type { AgentWorkInput } from "../../../machines/agent_session/agent_session_setup.ts";
import type { AgentSessionEvent } from "../../../machines/playbook/agent_session_event.ts";
import type { PreparedAgent } from "../../../machines/model/agent_session.ts";
import { agentNamed } from "../../agents/adapters/agents.ts";
import { watchForDialogs } from "../../agents/adapters/watch_for_dialogs.ts";
import { createLineSplitter } from "../../platform/line_splitter.ts";
import { collect } from "../../platform/process.ts";
import type { EnvironmentProcess } from "../../runtimes/runtime.ts";
import { type GetSession, toPublicError } from "../promise_actor.ts";
import type { AgentLogs } from "./agent_logs.ts";
import { cleanStart } from "./clean_start.ts";

/** Lines of output, and bytes of one: an agent may write without end. */
const mostLines = 50_000;
const longestLine = 4 * 1024 * 1024;
const longestStderr = 64 * 1024;
/** From SIGTERM to SIGKILL: an agent that is asked to end runs its last hooks. */
const graceMs = 5000;

export const runAgent = (stage: GetSession, logs: AgentLogs) =>
  fromCallback<EventObject, AgentWorkInput & { prepared: PreparedAgent }>(
    ({ input: { requestId, run, prepared }, sendBack, receive }) => {
      const send = (event: AgentSessionEvent) => sendBack(event);
      const live = stage();
      const { runtime, info } = live.environment.require();
      const log = logs.of(requestId);
      const { output, exchanges } = log;
      const agent = agentNamed(run.agent);
      const variables = Object.entries(prepared.env).map(([name, value]) => `${name}=${value}`);
      let left = false;
      let speaksJson = false;
      let killer: ReturnType<typeof setTimeout> | undefined;

      const lines = createLineSplitter({
        maxBytes: longestLine,
        onLine(line) {
          speaksJson ||= line.startsWith("{");
          if (output.length < mostLines) output.push(line);
          if (!left && agent.isLastLine(line)) send({ type: "agent.concluded" });
        },
        onOverlong: () => {},
      });

      let asking = false;
      /** Text of an agent without JSON may be the model's words once that has answered. */
      const look = (watch: ReturnType<typeof watchForDialogs>, chunk: Uint8Array | string) => {
        const dialog = exchanges.length > 0 && !speaksJson
          ? undefined
          : watch.see(typeof chunk === "string" ? chunk : new TextDecoder().decode(chunk));
        if (dialog !== undefined && !left) {
          asking = true;
          send({ type: "agent.asked", dialog: { ...dialog, words: live.secrets.redact.text(dialog.words) } });
        } else if (asking && !left) {
          asking = false;
          send({ type: "agent.went_on" });
        }
      };
      const [seenOut, seenErr] = [watchForDialogs(), watchForDialogs()];

      const started = runtime.spawn(info.handle, [...cleanStart, ...variables, ...prepared.words], {
        cwd: prepared.cwd,
      });
      const ended = started.then(async (child) => {
        if (child.pid !== undefined) log.pid = child.pid;
        child.stdin.end(prepared.stdin);
        child.stdout.on("data", (chunk: Uint8Array) => {
          lines.push(chunk);
          look(seenOut, chunk);
        });
        const stderr = collect(child.stderr, longestStderr, (text) => look(seenErr, text));
        const status = await child.exited;
        lines.end();
        clearTimeout(killer);
        // Children of the agent in its group end with it; what left the group ends with the environment.
        await child.kill("SIGKILL");
        if (!left) {
          send({ type: "agent.ended", exit: { ...status, stderr: live.secrets.redact.text(stderr.text()) } });
        }
      }).catch(async (error) => {
        const failure = await toPublicError(live, error).catch((failure: unknown) => failure);
        if (!left) send({ type: "agent.failed", error: failure });
      });
      live.tasks.track(ended);

      const stop = (child: EnvironmentProcess) => {
        killer ??= setTimeout(() => void child.kill("SIGKILL"), graceMs);
        return child.kill("SIGTERM");
      };
      // One that could not start was reported.
      const end = () => void started.then(stop, () => {});
      receive(({ type }) => {
        if (type !== "agent.stop") return;
        // An agent that is asked to end reports its hooks as ended.
        log.pendingHooks = agent.pendingHooks?.(output) ?? [];
        end();
      });
      return () => {
        left = true;
        end();
      };
    },
  );
