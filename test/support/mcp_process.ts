/** PTH's MCP server as a process of its own. */
import { type HostProcess, spawnProcess } from "../../src/platform/process.ts";
import { pthCommandLine } from "./bundled_pth.ts";

export interface RawServer {
  process: HostProcess;
  write(text: string): void;
  /** The next line on stdout, parsed. */
  next(): Promise<Record<string, unknown>>;
  stderr(): string;
  /** Everything that stdout has carried. */
  stdout(): string;
}

/** Spoken to by hand, for what a well-behaved client would never send. */
export async function startRaw(args: string[] = [], env: Record<string, string> = {}): Promise<RawServer> {
  const child = await spawnProcess(pthCommandLine("main", ...args), { env });
  let stdout = "";
  let read = 0;
  let stderr = "";
  let wake = () => {};
  child.stdout.on("data", (chunk) => {
    stdout += String(chunk);
    wake();
  });
  child.stderr.on("data", (chunk) => stderr += String(chunk));
  return {
    process: child,
    write: (text) => void child.stdin.write(text),
    next: async () => {
      while (stdout.indexOf("\n", read) < 0) await new Promise<void>((resolve) => wake = resolve);
      const line = stdout.slice(read, stdout.indexOf("\n", read));
      read += line.length + 1;
      return JSON.parse(line);
    },
    stderr: () => stderr,
    stdout: () => stdout,
  };
}

export const line = (message: Record<string, unknown>): string =>
  `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;

export const initialize = line({
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } },
});
export const initialized = line({ method: "notifications/initialized" });
