/** Differences between whole surfaces, and the file that keeps one. */
import t from "tap";
import type { ServerSurface } from "../../../machines/model/contract.ts";
import { compareSurfaces } from "../../../src/contract/compare_surfaces.ts";
import { parseContractFile, writeContract } from "../../../src/contract/contract_file.ts";
import { readSurface } from "../../../src/contract/read_surface.ts";

const surface = (
  more: Partial<ServerSurface> = {},
  server: Partial<ServerSurface["server"]> = {},
): ServerSurface => ({
  server: {
    name: "files",
    version: "1.0.0",
    protocolVersion: "2025-11-25",
    capabilities: { tools: {}, prompts: { listChanged: true } },
    instructions: "Use find first.",
    ...server,
  },
  tools: [],
  resources: [],
  resourceTemplates: [],
  prompts: [],
  ...more,
});

const path = { type: "object", properties: { path: { type: "string" } } };
const tool = (name: string, more: Record<string, unknown> = {}) => ({ name, inputSchema: path, ...more });

const found = (before: ServerSurface, after: ServerSurface) =>
  compareSurfaces(before, after).map(({ impact, code, path }) => `${impact} ${code} ${path}`);

const withTools = (...tools: ServerSurface["tools"]) => surface({ tools });
const annotated = (annotations: Record<string, unknown>) => withTools(tool("a", { annotations }));

const cases: [what: string, before: ServerSurface, after: ServerSurface, changes: string[]][] = [
  ["nothing changed", surface(), surface(), []],
  ["another version alone", surface(), surface({}, { version: "1.0.1" }), []],
  ["other instructions", surface(), surface({}, { instructions: "Use it." }), [
    "notice instructions-changed server/instructions",
  ]],
  ["a capability went", surface(), surface({}, { capabilities: { tools: {}, prompts: {} } }), [
    "breaking capability-removed server/capabilities/prompts/listChanged",
  ]],
  ["a tool came", withTools(tool("a")), withTools(tool("a"), tool("b")), ["compatible tool-added tools/b"]],
  ["a tool went", withTools(tool("a"), tool("b")), withTools(tool("a")), ["breaking tool-removed tools/b"]],
  [
    "a tool was described otherwise",
    withTools(tool("a", { description: "A" })),
    withTools(tool("a", { description: "B" })),
    ["notice description-changed tools/a/description"],
  ],
  ["answers were described", withTools(tool("a")), withTools(tool("a", { outputSchema: path })), [
    "compatible output-schema-added tools/a/outputSchema",
  ]],
  ["answers are described no more", withTools(tool("a", { outputSchema: path })), withTools(tool("a")), [
    "breaking output-schema-removed tools/a/outputSchema",
  ]],
  ["a tool changes things now", annotated({ readOnlyHint: true }), annotated({ destructiveHint: true }), [
    "breaking annotation-changed tools/a/annotations/readOnlyHint",
  ]],
  ["a tool destroys now", annotated({ destructiveHint: false }), annotated({}), [
    "breaking annotation-changed tools/a/annotations/destructiveHint",
  ]],
  ["a default is said", annotated({}), annotated({ destructiveHint: true, readOnlyHint: false }), []],
  ["a tool only reads now", annotated({}), annotated({ readOnlyHint: true }), [
    "compatible annotation-changed tools/a/annotations/readOnlyHint",
  ]],
  ["a resource went", surface({ resources: [{ uri: "a:1" }] }), surface(), [
    "breaking resource-removed resources/a:1",
  ]],
  [
    "a resource went from a list that changes",
    surface({ resources: [{ uri: "a:1" }] }, { capabilities: { resources: { listChanged: true } } }),
    surface({}, { capabilities: { resources: { listChanged: true } } }),
    ["notice resource-removed resources/a:1"],
  ],
  [
    "a template got another type",
    surface({ resourceTemplates: [{ uriTemplate: "a:{x}", mimeType: "text/plain" }] }),
    surface({ resourceTemplates: [{ uriTemplate: "a:{x}", mimeType: "application/json" }] }),
    ["breaking mime-type-changed resourceTemplates/a:{x}/mimeType"],
  ],
  [
    "a prompt asks for more",
    surface({ prompts: [{ name: "p", arguments: [{ name: "a" }] }] }),
    surface({ prompts: [{ name: "p", arguments: [{ name: "a", required: true }, { name: "b" }] }] }),
    [
      "breaking argument-required prompts/p/arguments/a",
      "compatible argument-added prompts/p/arguments/b",
    ],
  ],
];

for (const [what, before, after, changes] of cases) {
  t.test(what, (t) => {
    t.same(found(before, after), changes);
    t.end();
  });
}

t.test("breaking changes come first, and a renamed tool is named", (t) => {
  const changes = compareSurfaces(
    withTools(tool("find_files"), tool("b", { description: "B" })),
    withTools(
      tool("b", { description: "C" }),
      tool("look_for", { inputSchema: { type: "object" } }),
      tool("find_file"),
    ),
  );
  t.match(changes[0], {
    impact: "breaking",
    message: "find_files is gone; it was likely renamed to find_file",
  });
  t.same(changes.map(({ impact }) => impact), ["breaking", "notice", "compatible", "compatible"]);
  t.end();
});

t.test("a contract is the same text whatever order a server writes in, and is read back as it was", (t) => {
  const one = withTools(tool("a", { annotations: { readOnlyHint: true, title: "A" } }));
  const other = withTools({ annotations: { title: "A", readOnlyHint: true }, inputSchema: path, name: "a" });
  t.equal(writeContract(one), writeContract(other));
  t.same(parseContractFile("c.json", writeContract(one)), one);
  t.end();
});

t.test("a contract with mistakes is refused with their places", (t) => {
  const refused = (text: string, message: RegExp) =>
    t.throws(() => parseContractFile("c.json", text), { code: "INVALID_INPUT", message });
  refused("{", /c\.json:1:\d+ /);
  refused("", /c\.json:1:1 /);
  refused('{\n  "format": "pth-contract/9"\n}', /c\.json:2:13 format/);
  refused(writeContract(surface()).replace('"tools": []', '"tools": [{ "name": 5 }]'), /tools\[0\]\.name/);
  t.end();
});

/** A server that answers with pages. */
function serverOf(pages: Record<string, unknown[]>, capabilities: Record<string, unknown>) {
  const asked: string[] = [];
  return {
    asked,
    server: { name: "s", version: "1", protocolVersion: "2025-11-25", capabilities },
    listTools: () => Promise.resolve([tool("b"), tool("a")]),
    request(method: string, params: Record<string, unknown>) {
      asked.push(method);
      const at = Number(params.cursor ?? 0);
      const raw = pages[method]?.[at];
      const outcome = { text: "", isError: false, violations: [], durationMs: 1 };
      if (raw === undefined) {
        return Promise.resolve({
          ...outcome,
          kind: "rpc_error" as const,
          raw: {},
          text: "no such method",
          code: -32601,
        });
      }
      return Promise.resolve({ ...outcome, kind: "result" as const, raw });
    },
  };
}

t.test("only what a server declares is asked for, and all pages of it", async (t) => {
  const server = serverOf({
    "resources/list": [
      { resources: [{ uri: "b:" }], nextCursor: "1" },
      { resources: [{ uri: "a:" }] },
    ],
  }, { tools: {}, resources: {} });
  const read = await readSurface(server);
  t.same(read.tools.map(({ name }) => name), ["a", "b"]);
  t.same(read.resources, [{ uri: "a:" }, { uri: "b:" }]);
  t.same(read.resourceTemplates, [], "not known to the server");
  t.notOk(server.asked.includes("prompts/list"));
});

t.test("pages that never end, and answers that are no list, are the server's fault", async (t) => {
  const endless = serverOf({ "prompts/list": [{ prompts: [], nextCursor: "0" }] }, { prompts: {} });
  await t.rejects(readSurface(endless), { code: "PROTOCOL_VIOLATION", message: /never end/ });
  const wrong = serverOf({ "prompts/list": [{ prompts: [5] }] }, { prompts: {} });
  await t.rejects(readSurface(wrong), { code: "PROTOCOL_VIOLATION", message: /no list of objects/ });
  await t.rejects(readSurface(serverOf({}, { prompts: {} })), { message: /no such method/ });
});
