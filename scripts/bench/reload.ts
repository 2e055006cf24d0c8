/** A reload without a build, beside ending the same server and starting it again with the plain SDK client. */
import { Client } from "@modelcontextprotocol/sdk/client";
// @ts-types="@modelcontextprotocol/sdk/client/stdio"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport";
import { createHarness } from "../../src/app/create_harness.ts";
import { errorMessage } from "../../src/core/errors.ts";
import { benchServer } from "./session.ts";
import { type Row, time } from "./table.ts";

const rounds = 9;
const tool = "SDK client: close, connect, tools/list";

async function plainRestart(): Promise<number> {
  const connect = async () => {
    const client = new Client({ name: "bench", version: "1" });
    const server = { command: "node", args: [benchServer, "3"] };
    await client.connect(new StdioClientTransport(server) as Transport);
    await client.listTools();
    return client;
  };
  let client = await connect();
  const ms = await time(rounds, async () => {
    await client.close();
    client = await connect();
  });
  await client.close();
  return ms;
}

/** A folder with a manifest, so that the plan and the stamp of what is installed are looked at each time. */
async function makePlugin(): Promise<string> {
  const folder = await Deno.makeTempDir({ prefix: "pth-bench-" });
  const files = {
    "package.json": '{"name":"bench","version":"1.0.0","type":"module"}',
    ".mcp.json": '{"mcpServers":{"bench":{"command":"node","args":["server.mjs","3"]}}}',
    "server.mjs": await Deno.readTextFile(benchServer),
  };
  for (const [name, text] of Object.entries(files)) await Deno.writeTextFile(`${folder}/${name}`, text);
  return folder;
}

/** Undefined where this machine has no such environment. */
async function reloadIn(runtime: string, target: string): Promise<number | undefined> {
  const harness = await createHarness();
  try {
    await harness.startSession({ target }, { mode: "run" });
    const session = harness.session();
    await session.environment.provision({ runtime });
    await session.plugin.load({});
    return await time(rounds, () => session.plugin.reload());
  } catch (error) {
    console.error(`${runtime} is left out: ${errorMessage(error)}`);
    return undefined;
  } finally {
    await harness.close();
  }
}

export async function measureReload(): Promise<Row[]> {
  const folder = await makePlugin();
  const rows: Row[] = [];
  try {
    const plain = await plainRestart();
    for (const runtime of ["host", "sandbox", "docker"]) {
      const value = await reloadIn(runtime, folder);
      if (value === undefined) continue;
      rows.push(
        { what: `reload, ${runtime}`, value, unit: "ms", plain: { tool, value: plain } },
        {
          what: `PTH's own part, ${runtime}`,
          value: Math.max(0, value - plain),
          unit: "ms",
          target: "< 500 ms",
        },
      );
    }
    return rows;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
