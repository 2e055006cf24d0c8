/** Starts a bundled server once: nothing is put into place that does not answer. */
import { spawn } from "node:child_process";
import process from "node:process";

const longestMs = 30_000;

const requests = [
  {
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "pth-launcher", version: "1" },
    },
  },
  { jsonrpc: "2.0", method: "notifications/initialized" },
  { jsonrpc: "2.0", id: 2, method: "tools/list" },
];

/** @throws {Error} where it does not list its tools and end with its input */
export async function tryServer(entry) {
  const child = spawn(process.execPath, [entry], { stdio: "pipe", timeout: longestMs });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    stdout += text;
    if (stdout.split("\n").length > 2) child.stdin.end();
  });
  child.stderr.setEncoding("utf8").on("data", (text) => stderr += text);
  // A server that ends at once reads nothing; its exit code says so.
  child.stdin.on("error", (error) => stderr += error.message);
  child.stdin.write(requests.map((request) => `${JSON.stringify(request)}\n`).join(""));
  const code = await new Promise((resolve, reject) => child.on("error", reject).on("close", resolve));
  if (code === 0 && /"id":2\b/.test(stdout) && stdout.includes("pth_start_session")) return;
  throw new Error(
    `The bundled server does not start (exit code ${code}): ${(stderr || stdout).slice(-2000)}`,
  );
}
