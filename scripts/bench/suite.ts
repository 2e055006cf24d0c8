/** A thousand Tier 1 tests on four instances, beside a server that is started for each test, as many testers do. */
import { Client } from "@modelcontextprotocol/sdk/client";
// @ts-types="@modelcontextprotocol/sdk/client/stdio"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { benchServer, startSession, useTests } from "./session.ts";
import { median, type Row, time } from "./table.ts";

const tests = 1000;
const tools = 20;
/** So many servers are started and asked in each round; what a thousand would take follows from them. */
const started = 20;
const rounds = 7;

export async function measureSuite(): Promise<Row[]> {
  const harness = await startSession(tools);
  try {
    await useTests(harness, tests, tools);
    const ours: number[] = [];
    const others: number[] = [];
    // In turn, so that a machine that is busy meanwhile is so for both.
    for (let round = 0; round < rounds; round++) {
      ours.push(await time(1, () => harness.session().tests.runSuite({ workers: 4 })));
      others.push(await time(1, startForEach) / started * tests);
    }
    const pooled = median(ours);
    const perTest = median(others);
    return [
      {
        what: `${tests} tests on 4 instances, 3 of them started`,
        value: pooled,
        unit: "ms",
        plain: { tool: `a server started for each, from ${rounds * started}`, value: perTest },
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
