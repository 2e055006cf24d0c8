/** The command agent of a container: the engine takes 45 ms to start a command, the agent 1. */
import { PassThrough } from "node:stream";
import { agentOf, type AgentProcess, type CommandAgent } from "../shared/agent/command_agents.ts";
import { abortWithin } from "../shared/agent/exec_by_agent.ts";
import { demultiplex } from "./demultiplex.ts";
import { type ContainerExec, endOf, execInside, plainly, startByEngine } from "./exec.ts";
import { isBeingPaused } from "./pause_exclusively.ts";

/** Resolves to the container's agent, started if it may be; undefined where there is none. Never rejects. */
export const containerAgent = (inside: ContainerExec): Promise<CommandAgent | undefined> =>
  agentOf(inside.containerId, (words) => startIn(inside, words));

async function startIn(inside: ContainerExec, words: string[]): Promise<AgentProcess> {
  const { exec, socket } = await startByEngine(inside, plainly, words, { cwd: "/" }, true);
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  demultiplex(socket, stdout, stderr);
  const way = socket as typeof socket & { ref?(): void; unref?(): void };
  return {
    stdin: socket,
    stdout,
    stderr,
    endReason: async () => (await endOf(exec)).code,
    end: () => void socket.destroy(),
    async kill(pid) {
      const command = ["sh", "-c", 'kill -KILL "$1"', "sh", String(pid)];
      // It ends with its container, at the latest.
      await execInside(inside, command, { cwd: "/", signal: AbortSignal.timeout(abortWithin) }).catch(
        () => {},
      );
    },
    hold: (holds) => holds ? way.ref?.() : way.unref?.(),
    isPaused: () => isBeingPaused(inside.containerId),
  };
}
