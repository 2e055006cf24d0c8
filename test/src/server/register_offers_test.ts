/** Resources, prompts and completions, through a real client. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
// Deno does not find the declarations behind this package's pattern export when the name ends in ".js".
// @ts-types="@modelcontextprotocol/sdk/types"
import { ResourceListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { PthError } from "../../../src/core/errors.ts";
import { sessionFrontend } from "../../../src/server/session_frontend.ts";
import { prompts } from "../../../src/server/prompts/prompts.ts";
import { docPages } from "../../../src/server/resources/doc_pages.ts";
import { recordingBytes } from "../../../src/server/resources/recording_tail.ts";
import { parseTests } from "../../../src/testing/format/parse.ts";
import { registry } from "../../../src/tools/_registry.ts";
import { connect, type Connected } from "./connected_client.ts";

const read = async ({ client }: Connected, uri: string): Promise<string> => {
  const { contents: [content] } = await client.readResource({ uri });
  return (content as { text: string }).text;
};
const uris = async ({ client }: Connected) => (await client.listResources()).resources.map(({ uri }) => uri);
const start = (server: Connected) => server.call("pth_start_session", { pluginPath: "/p" });

t.test("PTH's documents can be read without a session, and no harness is made for it", async (t) => {
  const server = await connect();
  const { resources } = await server.client.listResources();
  t.strictSame(resources.map(({ uri }) => uri), docPages.map((page) => `pth://docs/${page}`));
  for (const { uri, title, mimeType, size, annotations } of resources) {
    const text = await read(server, uri);
    t.equal(size, new TextEncoder().encode(text).length, uri);
    t.match(text, /^# /m);
    t.match({ title, mimeType, annotations }, {
      title: /\S/,
      mimeType: "text/markdown",
      annotations: { audience: ["assistant"] },
    });
  }
  t.match(await read(server, "pth://docs/test-format"), "| Field | Meaning |");
  t.equal(server.created(), 0);
  await server.hangUp();
});

t.test("no address leads to a file that is not among them", async (t) => {
  const server = await connect();
  for (
    const uri of [
      "pth://docs/architecture",
      "pth://docs/../package",
      "pth://docs/..%2fpackage",
      "pth://docs/loop.md",
      "pth://docs/constructor",
      "pth://docs/",
      "file:///etc/passwd",
      "pth://session/recording",
      "pth://session/tests/",
      "",
    ]
  ) await t.rejects(read(server, uri), { code: -32002, message: /no such resource/ }, uri);
  await server.hangUp();
});

t.test("a session brings its report and its address, and the client is told of it", async (t) => {
  const server = await connect({
    commands: {
      export: {
        report: () => Promise.resolve("# PTH session\n\nsays \u202ereversed\u001b[31m\n"),
      },
    },
  });
  let told = 0;
  server.client.setNotificationHandler(ResourceListChangedNotificationSchema, () => void told++);
  await t.rejects(read(server, "pth://session/report"), {
    code: -32002,
    message: /no session is active.*pth_start/,
  });
  await start(server);
  t.equal(told, 1);
  t.strictSame((await uris(server)).slice(0, 2), ["pth://session/report", "pth://session/watch"]);
  const report = await read(server, "pth://session/report");
  t.equal(report, "# PTH session\n\nsays \\u202Ereversed\\u001B[31m\n", "a plugin's hidden signs are shown");
  await t.rejects(read(server, "pth://session/watch"), /cannot be watched/);
  await server.call("pth_end_session");
  t.equal(told, 2);
  t.notOk((await uris(server)).includes("pth://session/report"));
  await server.hangUp();
});

t.test("a test is read with its latest result, and an error is one of that request alone", async (t) => {
  const [test] = parseTests("adds.yaml", "name: adds\ntool: add\ninput: { a: 1 }\n");
  const result = {
    id: "adds",
    name: "adds",
    status: "failed",
    message: "```\nno",
    category: "wrong-output",
    durationMs: 3,
  };
  const server = await connect({
    commands: {
      tests: {
        list: () => [test!],
        results: () => ({ results: [result], findings: [] }) as never,
      },
      export: {
        report: () => Promise.reject(new PthError("GIT_FAILED", "Cannot read the branch: it is gone")),
      },
    },
  });
  await start(server);
  t.strictSame(
    (await server.client.listResourceTemplates()).resourceTemplates.map(({ uriTemplate }) => uriTemplate),
    [
      "pth://session/tests/{test}",
      "pth://docs/{page}",
    ],
  );
  const page = await read(server, "pth://session/tests/adds");
  t.match(page, /tool: add[^]*````\n✗ adds \[wrong-output\]/, "fenced more than the server's words");
  await t.rejects(read(server, "pth://session/tests/nothing"), { code: -32002 });
  await t.rejects(read(server, "pth://session/report"), /Cannot read the branch: it is gone/);
  await server.hangUp();
});

t.test("of a long recording the last whole lines are sent", async (t) => {
  const folder = t.testdir({});
  const recordFile = join(folder, "run.jsonl");
  const server = await connect({}, { recordFile });
  t.notOk((await uris(server)).includes("pth://session/recording"), "not before there is one");
  const line = (at: number) => JSON.stringify({ at, text: "é".repeat(50) });
  const lines = Array.from({ length: 3000 }, (_, at) => line(at));
  await writeFile(recordFile, `${lines.join("\n")}\n{"half":`);
  t.ok((await uris(server)).includes("pth://session/recording"));
  const sent = (await read(server, "pth://session/recording")).trimEnd().split("\n");
  t.equal(sent.at(-1), line(2999));
  t.equal(sent[0], line(3000 - sent.length));
  t.ok(new TextEncoder().encode(sent.join("\n")).length > recordingBytes * 0.9);
  await server.hangUp();
});

t.test("prompts say what to do with what was given, and name tools that there are", async (t) => {
  const server = await connect();
  t.strictSame((await server.client.listPrompts()).prompts, prompts());
  const get = async (name: string, args: Record<string, string> = {}): Promise<string> => {
    const { messages: [message] } = await server.client.getPrompt({ name, arguments: args });
    return (message!.content as { text: string }).text;
  };
  t.match(await get("test_plugin"), "Test the plugin in the current folder with the Plugin Test Harness.");
  const asked = await get("test_plugin", { plugin: "/plugins/shop", focus: "errors" });
  t.match(asked, 'pth_start_session({ pluginPath: "/plugins/shop" })');
  t.match(asked, "What matters most: errors");
  t.match(await get("write_tests", { tool: "add" }), "Write tests for the tool add of the plugin");
  await t.rejects(get("fix_plugin", { tool: "add" }), {
    code: -32602,
    message: /has no argument tool; it has plugin, test/,
  });
  await t.rejects(get("fix"), { code: -32602, message: /there are test_plugin, fix_plugin, write_tests/ });
  t.equal(server.created(), 0);
  await start(server);
  const going = await get("fix_plugin", { test: "adds" });
  t.match(going, /A session is open.*\n*[^]*the test adds fail/);
  t.notMatch(going, "pth_start_session");
  for (const name of ["test_plugin", "fix_plugin", "write_tests"]) {
    for (const [tool] of (await get(name)).matchAll(/pth_[a-z_]*[a-z]/g)) {
      t.ok(registry.some(({ name }) => name === tool), tool);
    }
  }
  await server.hangUp();
});

t.test("arguments are completed from the documents and from the session", async (t) => {
  const names = ["add", "subtract", "odd\u202ename", ...Array.from({ length: 150 }, (_, at) => `tool_${at}`)];
  const server = await connect({
    commands: {
      plugin: {
        tools: () => names.map((name) => ({ name })) as never,
      },
      tests: {
        list: () => [{ id: "adds" }, { id: "is-red" }] as never,
        results: (filter) => ({ results: filter?.status === "failed" ? [{ id: "is-red" }] : [] }) as never,
      },
    },
  });
  const complete = async (ref: object, name: string, value = "") => {
    const { completion } = await server.client.complete({ ref: ref as never, argument: { name, value } });
    return completion;
  };
  const prompt = (name: string) => ({ type: "ref/prompt", name });
  const resource = (uri: string) => ({ type: "ref/resource", uri });
  t.strictSame((await complete(resource("pth://docs/{page}"), "page", "test")).values, [
    "test-format",
    "test-reference",
    "agent-tests",
  ]);
  t.strictSame((await complete(prompt("write_tests"), "tool", "a")).values, [], "nothing without a session");
  await start(server);
  t.strictSame((await complete(prompt("write_tests"), "tool", "A")).values, ["add", "subtract"]);
  t.match(await complete(prompt("write_tests"), "tool"), {
    values: { length: 100 },
    total: 152,
    hasMore: true,
  });
  t.strictSame((await complete(prompt("fix_plugin"), "test")).values, ["is-red"]);
  t.strictSame((await complete(resource("pth://session/tests/{test}"), "test")).values, ["adds", "is-red"]);
  await t.rejects(complete(prompt("write_tests"), "color"), { code: -32602 });
  await t.rejects(complete(prompt("nothing"), "tool"), { code: -32602 });
  await t.rejects(complete(resource("file:///{path}"), "path"), { code: -32602 });
  await server.hangUp();
});

t.test("what hosts list as soon as they are connected is answered without the library", async (t) => {
  const desk = sessionFrontend({
    version: "1",
    mode: "dynamic",
    toolsets: new Set(["core"]),
    structured: false,
    door: { active: false },
    relisting: { asked() {}, given() {} },
    calls: { given: false },
    tools: () => Promise.resolve([]),
  });
  for (const method of ["resources/list", "resources/templates/list", "prompts/list"]) {
    t.match(await desk.answer({ jsonrpc: "2.0", id: 1, method }), { id: 1, result: Object }, method);
    t.equal(
      desk.answer({ jsonrpc: "2.0", id: 2, method, params: { cursor: "2" } }),
      undefined,
      "there is one page",
    );
  }
  for (const method of ["resources/read", "prompts/get", "constructor"]) {
    t.equal(desk.answer({ jsonrpc: "2.0", id: 3, method }), undefined);
  }
});
