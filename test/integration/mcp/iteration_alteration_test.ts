// test: timeout=200
/** What a person asks for in the middle of a session: tools come, change and go, and the tests with them. */
import t from "tap";
import { openSessionClient } from "../../support/session_client.ts";

t.setTimeout(200_000);

/** Its tools are those of tools.json; each answers what it was given. */
const server = `
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
const { tools } = JSON.parse(readFileSync(new URL("tools.json", import.meta.url), "utf8"));
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "altered", version: "1.0.0" } }),
  ping: () => ({}),
  "tools/list": () => ({ tools }),
  "tools/call": ({ name, arguments: given }) => {
    const { inputSchema } = tools.find((tool) => tool.name === name);
    const missing = inputSchema.required.filter((key) => typeof given?.[key] !== inputSchema.properties[key].type);
    return { content: [{ type: "text", text: JSON.stringify(missing.length > 0 ? { missing } : given) }], isError: missing.length > 0 };
  },
};
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const result = answers[method]?.(params ?? {});
  const answer = result ? { result } : { error: { code: -32601, message: "no such method" } };
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...answer }) + "\\n");
});
`;

const tool = (name: string, ...required: string[]) => ({
  name,
  description: `Answers ${required.join(" and ")}.`,
  inputSchema: {
    type: "object",
    properties: Object.fromEntries(required.map((key) => [key, { type: "string" }])),
    required,
  },
});
const toolsFile = (...tools: ReturnType<typeof tool>[]) => JSON.stringify({ tools }, undefined, 2);
const asked = (title: string, ...tools: ReturnType<typeof tool>[]) => ({
  fixes: [{ tests: [], title, edits: [{ path: "tools.json", content: toolsFile(...tools) }] }],
});

interface Outcome {
  state: string;
  records: { newTests: number; health: string[]; tools: Record<string, string[]>; broken: string[] }[];
  standing: { total: number; passed: number };
}

t.test("tests follow the tools that an alteration adds, changes and removes", async (t) => {
  const client = await openSessionClient(t);
  const files = {
    "server.mjs": server,
    "tools.json": toolsFile(tool("greet", "name"), tool("part", "name")),
    "package.json": JSON.stringify({ name: "altered", version: "1.0.0", bin: { altered: "server.mjs" } }),
  };
  await client.begin(t, files, "host");
  const first = (await client.succeed(t, "pth_run_iteration")).data as unknown as Outcome;
  t.equal(first.state, "green", "without tests the loop generates some first");
  t.same(first.records[0]?.health, [], "the environment was looked at");
  const testsOf = async (name: string) =>
    (await client.succeed(t, "pth_list_tests", { tool: name })).data.total as number;
  const perTool = await testsOf("greet");
  t.ok(perTool >= 4);

  const added = await client.succeed(
    t,
    "pth_run_iteration",
    asked("thank people, too", tool("greet", "name"), tool("part", "name"), tool("thank", "name")),
  );
  const { state, records: [record], standing } = added.data as unknown as Outcome;
  t.equal(state, "green");
  t.match(record, { newTests: perTool, tools: { added: ["thank"], removed: [], changed: [] }, broken: [] });
  t.equal(standing.passed, first.standing.passed + perTool, "they ran, and pass");
  t.match(added.text, "Tools: added thank");

  const changed = await client.succeed(
    t,
    "pth_run_iteration",
    asked("greet by both names, part from nobody", tool("greet", "name", "family"), tool("thank", "name")),
  );
  t.match(changed.data, { records: [{ tools: { added: [], removed: ["part"], changed: ["greet"] } }] });
  t.ok((changed.data as unknown as Outcome).records[0]!.newTests > 0, "new tests count, though others went");
  t.equal((changed.data as unknown as Outcome).state, "green", changed.text);
  t.equal(await testsOf("part"), 0, "a tool that is gone has no tests");
  t.ok(await testsOf("greet") > perTool, "a changed tool has new ones");
  const history = await client.succeed(t, "pth_get_fix_history");
  t.equal(history.data.total, 2, "each alteration is a commit");
  await client.succeed(t, "pth_end_session");
});
