/**
 * Tests from the plugin's options: with each value that an option may have, a server of
 * the test's own starts and lists its tools.
 */
import type { TestCase } from "../../../machines/model/test_case.ts";
import { defineGenerator } from "../generator.ts";
import { assignIds } from "../format/ids.ts";

/** Each costs the start of a server. */
const mostValues = 6;

export default defineGenerator({
  name: "config",
  summary: "A start of the server with each value that its options may have",
  async generate({ options }, { tools }) {
    if (tools !== undefined) return { tests: [], findings: [], heldBack: [] };
    const declared = (await options()).filter(({ secret, values }) => !secret && values !== undefined);
    const tests = declared.flatMap(({ name, source, values, default: usual }) =>
      values!.filter((value) => value !== usual).slice(0, mostValues).map((value): TestCase => ({
        id: "",
        name: `server - starts with ${name} = ${value}`,
        tier: 1,
        check: "tools_list",
        config: { [name]: value },
        expect: {},
        verify: [],
        setup: [],
        teardown: [],
        tags: ["generated", "config"],
        generatedFrom: "config",
        origin: `${source}: ${name} may be ${value}`,
      }))
    );
    return { tests: assignIds(tests), findings: [], heldBack: [] };
  },
});
