import t from "tap";
import { applies, echo, echoes, type Input, outcome, runOn, text, tool } from "./function_server.ts";

const listed = (most: Input) => [tool("list", { kind: text, most: { type: "integer", ...most } })];

const listing = (fallback: number) => (_name: string, { most = fallback }: Input) =>
  ["a", "b", "c", "d", "e"].slice(0, Number(most)).join();

t.test("a default of the schema or of its description that is not applied is a finding with both answers", async (t) => {
  for (const stated of [{ default: 2 }, { description: "Most items, default 2" }]) {
    const verdict = await runOn("applies_stated_defaults", { tools: listed(stated), answer: listing(4) });
    t.match(verdict, {
      status: "passed",
      findings: [{ code: "default-not-applied", tool: "list", message: /a,b,c,d.*a,b/ }],
    });
    t.match(await runOn("applies_stated_defaults", { tools: listed(stated), answer: listing(2) }), {
      status: "passed",
      note: "1 default tried",
      findings: [],
    });
  }
});

t.test("answers that change by themselves, repeat their arguments or refuse show no default", async (t) => {
  const tools = listed({ default: 2 });
  let calls = 0;
  t.match(await runOn("applies_stated_defaults", { tools, answer: () => String(++calls) }), { findings: [] });
  t.match(await runOn("applies_stated_defaults", { tools, answer: () => String(++calls % 2) }), {
    findings: [],
  });
  t.match(await runOn("applies_stated_defaults", { tools, answer: echoes }), {
    status: "passed",
    findings: [],
  });
  const refuses = () => outcome("no such kind", { isError: true });
  t.match(await runOn("applies_stated_defaults", { tools, answer: refuses }), { status: "skipped" });
});

t.test("it applies to tools that state a default", (t) => {
  t.ok(applies("applies_stated_defaults", listed({ default: 2 })));
  t.notOk(applies("applies_stated_defaults", [echo]));
  t.end();
});
