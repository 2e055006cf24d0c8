import t from "tap";
import type { LearnedInput } from "../../../../machines/model/learned.ts";
import { textSources } from "../../../../src/plugin/plugin_sources.ts";
import learned from "../../../../src/testing/generators/learned.ts";
import { parseTests } from "../../../../src/testing/format/parse.ts";
import { serializeTests } from "../../../../src/testing/format/serialize_tests.ts";
import { tool } from "../learn/scripted_server.ts";

const inputs: LearnedInput[] = [
  { tool: "pick", setup: [], input: { text: "costs $$5" } },
  { tool: "pick", setup: [], input: { text: "b" }, expect: { output_contains: "b" } },
  {
    tool: "get_task",
    setup: [{ tool: "add_task", input: { title: "t" }, capture: { id: "/id: (\\w+)/" } }],
    input: { id: "$id" },
    refusal: "no such task",
  },
  { tool: "delete_task", setup: [], input: { id: "1" } },
  { tool: "gone", setup: [], input: {} },
];

const expected = `name: pick - learned input
tier: 1
tool: pick
input:
  text: costs $5
expect:
  well_behaved: true
tags:
  - generated
  - learned
generated_from: learned
origin: ".pth/learned.yaml: pick"
---
name: pick - learned input 2
tier: 1
tool: pick
input:
  text: b
expect:
  output_contains: b
tags:
  - generated
  - learned
generated_from: learned
origin: ".pth/learned.yaml: pick 2"
---
name: get_task - learned input, after add_task
tier: 2
steps:
  - tool: add_task
    input:
      title: t
    expect:
      well_behaved: true
    capture:
      id: /id: (\\w+)/
  - tool: get_task
    input:
      id: $id
    expect:
      well_behaved: true
tags:
  - generated
  - learned
generated_from: learned
origin: ".pth/learned.yaml: get_task"
`;

const material = {
  tools: ["pick", "add_task", "get_task", "delete_task"].map((name) => tool(name)),
  sources: textSources({}),
  documents: () => Promise.resolve([]),
  options: () => Promise.resolve([]),
  learned: inputs,
};

t.test("learned inputs become calls and scenarios, but for tools that are excluded or gone", async (t) => {
  const { tests } = await learned.generate(material, {});
  const text = serializeTests(tests);
  t.equal(text.replaceAll('"/id: (\\\\w+)/"', "/id: (\\w+)/"), expected);
  t.equal(parseTests("t.yaml", text).length, 3, "they are read as they are written");
  const all = await learned.generate(material, { includeHeldBack: true });
  t.ok(all.tests.some((test) => test.tool === "delete_task"));
});
