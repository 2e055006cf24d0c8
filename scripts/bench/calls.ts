/** A hundred Tier 1 tests of a tool that does nothing, beside a hundred calls of the plain SDK client. */
import { Client } from "@modelcontextprotocol/sdk/client";
// @ts-types="@modelcontextprotocol/sdk/client/stdio"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { benchServer, startSession, useTests } from "./session.ts";
import { type Row, time } from "./table.ts";

const calls = 100;

export async function measureCalls(): Promise<Row[]> {
  const client = new Client({ name: "bench", version: "1" });
  await client.connect(new StdioClientTransport({ command: "node", args: [benchServer, "1"] }));
  const plainCalls = () =>
    time(9, async () => {
      for (let at = 0; at < calls; at++) {
        await client.callTool({ name: "echo_0", arguments: { text: `hello ${at}` } });
      }
    });
  const harness = await startSession(1);
  await useTests(harness, calls, 1);
  const plain = await plainCalls();
  const single = await time(9, async () => {
    for (let at = 0; at < calls; at++) await harness.session().plugin.call("echo_0", { text: `hello ${at}` });
  });
  const suite = await time(9, () => harness.session().tests.runSuite({ workers: 1 }));
  const pooled = await time(5, () => harness.session().tests.runSuite({ workers: 4 }));
  await harness.close();
  await client.close();
  const tool = "SDK client, bare calls";
  return [
    { what: `${calls} single calls in a session`, value: single, unit: "ms", plain: { tool, value: plain } },
    {
      what: `${calls} tests, 1 worker`,
      value: suite,
      unit: "ms",
      plain: { tool, value: plain },
      target: "< 500 ms",
    },
    {
      what: `${calls} tests, 4 workers, 3 servers started`,
      value: pooled,
      unit: "ms",
      plain: { tool, value: plain },
      target: "< 500 ms",
    },
    {
      what: "one test",
      value: suite / calls,
      unit: "ms",
      plain: { tool: "one call", value: plain / calls },
      target: "≤ 2×",
    },
  ];
}
