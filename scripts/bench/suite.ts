/** A thousand Tier 1 tests on four instances, beside a server that is started for each test, as many testers do. */
import { Client } from "@modelcontextprotocol/sdk/client";
// @ts-types="@modelcontextprotocol/sdk/client/stdio"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { benchServer, startSession, useTests } from "./session.ts";
import { type Row, time } from "./table.ts";

const tests = 1000;
const tools = 20;
/** So many servers are started and asked; what a thousand would take follows from them. */
const started = 40;

export async function measureSuite(): Promise<Row[]> {
  const harness = await startSession(tools);
  try {
    await useTests(harness, tests, tools);
    const pooled = await time(5, () => harness.session().runSuite({ workers: 4 }));
    const perTest = await time(1, startForEach) / started * tests;
    return [
      {
        what: `${tests} tests on 4 instances, 3 of them started`,
        value: pooled,
        unit: "ms",
        plain: { tool: `a server started for each, from ${started}`, value: perTest },
        target: "< 3000 ms",
      },
      {
        what: "times faster than a server for each test",
        value: perTest / pooled,
        unit: "×",
        target: "≥ 50×",
      },
    ];
  } finally {
    await harness.close();
  }
}

async function startForEach(): Promise<void> {
  for (let at = 0; at < started; at++) {
    const client = new Client({ name: "bench", version: "1" });
    await client.connect(new StdioClientTransport({ command: "node", args: [benchServer, String(tools)] }));
    await client.callTool({ name: `echo_${at % tools}`, arguments: { text: `hello ${at}` } });
    await client.close();
  }
}
