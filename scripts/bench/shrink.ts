/** From a drawn input that brings a planted fault out to the smallest one; most tries lose the server, or wait for it. */
import { createHarness } from "../../src/app/create_harness.ts";
import { type Row } from "./table.ts";

const plugin = new URL("../../test/fixtures/fuzz_plugin", import.meta.url).pathname;

export async function measureShrink(): Promise<Row[]> {
  const harness = await createHarness();
  try {
    await harness.startSession({ target: plugin }, { mode: "run" });
    const session = harness.session();
    await session.environment.provision({ runtime: "host" });
    await session.plugin.load({});
    const tools = ["quote", "countdown", "average", "convert", "greet"];
    const { finds } = await session.tests.fuzz({ tools, seed: 7, timeoutSeconds: 2 });
    const row = (tool: string): Row => {
      const find = finds.find((each) => each.tool === tool);
      if (find?.test === undefined) throw new Error(`the planted fault of ${tool} was not found`);
      return {
        what: `${find.oracle}: ${find.shrinks} times smaller`,
        value: find.shrinkMs,
        unit: "ms",
        target: "< 5 s",
      };
    };
    return tools.map(row);
  } finally {
    await harness.close();
  }
}
