/** Makes a box with a detached process in it, says so, and waits to be killed. Run by lifetime_test.ts. */
import process from "node:process";
import { createSandbox } from "../../../src/runtimes/sandbox.ts";

const [enter, environmentId, sessionId, word] = process.argv.slice(2) as [
  "bubblewrap" | "util-linux",
  string,
  string,
  string,
];
const runtime = createSandbox(enter);
const resources = { memoryMB: 512, diskGB: 1 };
const handle = await runtime.provision({ environmentId, sessionId, tier: 1, env: {}, resources });
await runtime.spawn(handle, ["sleep", word]);
await runtime.exec(handle, ["sh", "-c", `setsid sleep ${word} >/dev/null 2>&1 & exit 0`]);
console.log("living");
setInterval(() => {}, 1000);
