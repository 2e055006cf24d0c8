import t from "tap";
import { preparedTools } from "../../../src/server/prepared_tools.ts";
import { registry } from "../../../src/tools/_registry.ts";
import { chosenToolsets, toolsetOf, toolsets } from "../../../src/tools/toolset.ts";

t.test("every tool is in one toolset, and core has what a whole session needs", (t) => {
  const own = registry.filter((tool) => toolsetOf(tool) === "core").map(({ name }) =>
    name.replace("pth_", "")
  );
  t.strictSame(own.sort(), [
    "diagnose_failure",
    "end_session",
    "generate_tests",
    "get_answer",
    "get_more",
    "get_test_results",
    "load_plugin",
    "preflight",
    "provision_environment",
    "resume_session",
    "run_iteration",
    "run_test_suite",
    "start_session",
  ]);
  t.strictSame(new Set(registry.map(toolsetOf)), new Set(toolsets));
  t.end();
});

t.test("core is always there, the others by name, all of them where none is named", (t) => {
  t.strictSame([...chosenToolsets("testing, fixing")], ["core", "testing", "fixing"]);
  t.strictSame([...chosenToolsets("core")], ["core"]);
  const usual = toolsets.filter((toolset) => toolset !== "agents");
  t.strictSame([...chosenToolsets("all")], usual);
  t.strictSame([...chosenToolsets(undefined)], usual);
  t.strictSame([...chosenToolsets("all,agents")], [...toolsets]);
  t.end();
});

t.test("an unknown toolset is an error that names those that there are", (t) => {
  t.throws(() => chosenToolsets("core,fixng"), {
    code: "INVALID_INPUT",
    message: /--toolset expects one or more of core, testing, .*, not "fixng" \(did you mean "fixing"\?\)/,
  });
  t.end();
});

t.test("a few sets cost a model much less than all", async (t) => {
  const characters = (sets: ReadonlySet<string>, tools: Awaited<ReturnType<typeof preparedTools>>) =>
    JSON.stringify(
      tools.filter(({ toolset }) => sets.has(toolset)).map(({ tool: { outputSchema: _, ...tool } }) => tool),
    )
      .length;
  const tools = await preparedTools();
  t.ok(characters(chosenToolsets("core"), tools) < characters(chosenToolsets("all"), tools) / 2);
});
