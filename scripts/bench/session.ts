/** A session with the bench server, ready to run suites; the caller ends it. */
import { createHarness, type HarnessOptions } from "../../src/app/create_harness.ts";
import type { Harness } from "../../src/api/harness.ts";
import type { TestCase } from "../../machines/model/test_case.ts";
import { serializeTests } from "../../src/testing/format/serialize_tests.ts";

export const benchServer = new URL("../../test/fixtures/bench_server/server.mjs", import.meta.url).pathname;

/** @param delay What each call takes, in milliseconds. */
export async function startSession(
  tools: number,
  options: HarnessOptions = {},
  delay = 0,
): Promise<Harness> {
  const harness = await createHarness(options);
  await harness.startSession({ command: ["node", benchServer, String(tools), String(delay)] }, {
    mode: "run",
  });
  await harness.session().environment.provision({ runtime: "host" });
  await harness.session().plugin.load({});
  return harness;
}

/** `count` calls spread over the tools, each with one assertion; the first `failing` of them expect what is not so. */
export async function useTests(
  harness: Pick<Harness, "session">,
  count: number,
  tools: number,
  failing = 0,
): Promise<void> {
  const tests = Array.from({ length: count }, (_, at): TestCase => ({
    id: `call-${at}`,
    name: `call ${at}`,
    tier: 1,
    tool: `echo_${at % tools}`,
    input: { text: `hello ${at}` },
    expect: { output_equals: at < failing ? "something else" : `hello ${at}` },
    verify: [],
    setup: [],
    teardown: [],
    tags: [],
    generatedFrom: "manual",
  }));
  const file = await Deno.makeTempFile({ suffix: ".yaml" });
  try {
    await Deno.writeTextFile(file, serializeTests(tests));
    await harness.session().tests.use(file);
  } finally {
    await Deno.remove(file);
  }
}
