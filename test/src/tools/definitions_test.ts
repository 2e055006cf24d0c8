import t from "tap";
import { preparedTools } from "../../../src/server/prepared_tools.ts";
import { prepareTool } from "../../../src/server/prepare_tool.ts";
import { registry } from "../../../src/tools/_registry.ts";

t.test("what tools/list answers from its file is what the tools define", async (t) => {
  t.same(await preparedTools(), JSON.parse(JSON.stringify(registry.map(prepareTool))));
});

t.test("every tool says what it is, and hints of what it does", (t) => {
  for (const { name, definition } of registry) {
    t.match(name, /^pth_[a-z_]+$/);
    t.ok(definition.title.length <= 60, `${name}: title`);
    t.ok(definition.description.length >= 60 && definition.description.length <= 500, `${name}: description`);
    const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = definition.annotations;
    for (const hint of [readOnlyHint, destructiveHint, idempotentHint, openWorldHint]) {
      t.equal(typeof hint, "boolean", `${name}: hints`);
    }
    t.notOk(readOnlyHint && destructiveHint, `${name}: what only reads destroys nothing`);
  }
  t.end();
});
