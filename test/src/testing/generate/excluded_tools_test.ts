import t from "tap";
import type { ToolDefinition } from "../../../../machines/model/plugin.ts";
import {
  callableTools,
  excludedTools,
  type GenerateRequest,
} from "../../../../src/testing/generate/excluded_tools.ts";

const tool = (name: string, annotations: ToolDefinition["annotations"] = {}): ToolDefinition => ({
  name,
  inputSchema: {},
  annotations,
});

const tools = [
  tool("delete_note"),
  tool("wipe", { destructiveHint: true }),
  tool("post", { openWorldHint: true }),
  tool("send_mail"),
  tool("add_note"),
  tool("search_web", { readOnlyHint: true, openWorldHint: true }),
  tool("list_notes", { readOnlyHint: true, destructiveHint: true }),
];
const held = (request: GenerateRequest) => excludedTools(tools, request).map((each) => each.tool);

t.test("on the user's machine nothing destroys or writes to the world outside", (t) => {
  t.same(held({}), ["delete_note", "wipe", "post", "send_mail"]);
  t.same(held({ place: { isolated: false, harmless: true } }), ["delete_note", "wipe", "post", "send_mail"]);
  t.match(excludedTools(tools, {}), [
    { reason: 'its name says "delete"' },
    { reason: "it says destructiveHint: true" },
    { reason: "it says openWorldHint: true" },
    { reason: 'its name says "send"' },
  ]);
  t.end();
});

t.test("in an isolated environment tools may destroy; with secrets they do not reach out", (t) => {
  t.same(held({ place: { isolated: true, harmless: false } }), ["post", "send_mail"]);
  t.same(held({ place: { isolated: true, harmless: true } }), []);
  t.end();
});

t.test("a request decides for itself, either way", (t) => {
  t.same(held({ includeHeldBack: true }), []);
  const request = { includeHeldBack: false, place: { isolated: true, harmless: true } };
  t.same(held(request), ["delete_note", "wipe", "post", "send_mail"]);
  t.end();
});

t.test("tools that only read are called first, dangerous ones last", (t) => {
  const names = callableTools(tools, { includeHeldBack: true }).map(({ name }) => name);
  t.same(names, ["search_web", "list_notes", "add_note", "delete_note", "wipe", "post", "send_mail"]);
  t.end();
});
