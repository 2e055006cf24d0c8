/** Runs a check on `faulty.mjs`, as a run does. */
import type { Test } from "tap";
import { checkContext } from "../../../../src/actors/tests/check_context.ts";
import { openStdioConnection } from "../../../../src/client/stdio_connection.ts";
import { runServerCheck } from "../../../../src/testing/check.ts";
import { registry } from "../../../../src/testing/checks/_registry.ts";
import type { Verdict } from "../../../../machines/model/verdict.ts";
import { spawnFaulty } from "../../client/fixture_server.ts";

interface Options {
  /** Further arguments of the server. */
  args?: string[];
  /** Limit of each request; default 5000. */
  limitMs?: number;
  strict?: boolean;
}

export async function runCheckOn(
  t: Test,
  name: string,
  fault: string,
  { args = [], limitMs = 5000, strict = false }: Options = {},
): Promise<Verdict> {
  const process = await spawnFaulty(fault, ...args);
  const connection = await openStdioConnection({ id: "check", timeoutMs: 20_000, era: "legacy", process });
  t.teardown(() => connection.close({ graceMs: 0 }));
  const check = registry.find((candidate) => candidate.name === name)!;
  const context = checkContext(
    connection,
    { transport: "stdio", isolated: true },
    limitMs,
    [],
    new AbortController().signal,
  );
  return await runServerCheck(check, context, { strict });
}
