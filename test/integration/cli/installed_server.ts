/** An MCP client in a few lines, for what starts by scripts/mcp.sh: it hides nothing of what comes over stdout. */
import { join } from "node:path";
import type { Test } from "tap";
import { collect, spawnProcess } from "../../../src/platform/process.ts";

type Answer = Record<string, unknown>;

export interface InstalledServer {
  initialize(): Promise<Answer>;
  request(method: string, params?: Record<string, unknown>): Promise<Answer>;
  /** @param progress called with each step; without it no progress is asked for. */
  call(tool: string, input?: object, progress?: (step: Step) => void): Promise<Answer>;
  /** Closes stdin. @returns the exit code */
  end(): Promise<number | null>;
  stderr(): string;
  /** Answers to nothing that was asked, and what is no message. */
  readonly unasked: string[];
}

export interface Step {
  progress: number;
  message: string;
}

/** Starts the server as Claude Code does. */
export async function startInstalled(
  t: Test,
  folder: string,
  env: Record<string, string> = {},
): Promise<InstalledServer> {
  const child = await spawnProcess(["sh", join(folder, "scripts/mcp.sh")], { cwd: "/", env });
  t.teardown(() => child.kill("SIGKILL"));
  const stderr = collect(child.stderr);
  const asked = new Map<unknown, (answer: Answer) => void>();
  const listeners = new Map<unknown, (step: Step) => void>();
  const unasked: string[] = [];
  let ids = 0;
  let rest = "";

  const receive = (line: string): void => {
    const message = JSON.parse(line) as Answer;
    const answered = asked.get(message["id"]);
    if (message["method"] === "notifications/progress") {
      const params = message["params"] as Step & { progressToken: unknown };
      listeners.get(params.progressToken)?.(params);
    } else if (answered !== undefined && message["method"] === undefined) {
      asked.delete(message["id"]);
      answered(message);
    } else unasked.push(line);
  };
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop()!;
    lines.forEach(receive);
  });

  const write = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const request = (method: string, params: Record<string, unknown> = {}) => {
    const id = ++ids;
    const answer = new Promise<Answer>((resolve, reject) => {
      asked.set(id, resolve);
      void child.exited.then(() => reject(new Error(`the server ended: ${stderr.text()}`)));
    });
    write({ id, method, params });
    return answer;
  };

  return {
    unasked,
    request,
    stderr: () => stderr.text(),
    async initialize() {
      const clientInfo = { name: "test", version: "1" };
      const answer = await request("initialize", {
        protocolVersion: "2025-06-18",
        capabilities: {},
        clientInfo,
      });
      write({ method: "notifications/initialized" });
      return answer;
    },
    call(name, input = {}, progress) {
      const progressToken = `progress-${ids + 1}`;
      if (progress !== undefined) listeners.set(progressToken, progress);
      return request("tools/call", {
        name,
        arguments: input,
        ...(progress ? { _meta: { progressToken } } : {}),
      });
    },
    async end() {
      child.stdin.end();
      return (await child.exited).code;
    },
  };
}
