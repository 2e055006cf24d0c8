import t from "tap";
// Deno does not find the declarations behind this package's pattern export when the name ends in ".js".
// @ts-types="@modelcontextprotocol/sdk/types"
import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { PthError } from "../../../src/core/errors.ts";
import type { ProgressStep } from "../../../src/api/harness.ts";
import { usualTools } from "../../support/usual_tools.ts";
import { connect, textOf } from "./connected_client.ts";

t.test("starting adds the session tools and ending withdraws them, each with a notification", async (t) => {
  const server = await connect();
  let notified = 0;
  server.client.setNotificationHandler(ToolListChangedNotificationSchema, () => void notified++);
  t.equal((await server.names()).length, 3);
  const started = await server.call("pth_start_session", { pluginPath: "/plugins/sample" });
  t.match(
    textOf(started),
    /Session a1b2c3 started: sample 1\.0\.0[^]*Note: uncommitted[^]*pth_provision_environment/,
  );
  t.match(started.structuredContent, { session: { sessionId: "a1b2c3" } });
  t.equal(notified, 1);
  t.equal((await server.names()).length, usualTools.length);
  const ended = await server.call("pth_end_session");
  t.match(textOf(ended), "Session ended.\nBranch pth/sample-2026-01-01-a1b2c3: 2 commits, kept");
  t.equal(notified, 2);
  t.equal((await server.names()).length, 3);
  await server.hangUp();
});

t.test("in static mode the list does not change and nobody is notified", async (t) => {
  const server = await connect({}, { tools: "static" });
  let notified = 0;
  server.client.setNotificationHandler(ToolListChangedNotificationSchema, () => void notified++);
  await server.call("pth_start_session", { pluginPath: "/p" });
  t.equal((await server.names()).length, usualTools.length);
  t.equal(notified, 0);
  await server.hangUp();
});

t.test("an error carries its code, the end of the raw output, what was tried and what is next", async (t) => {
  const output = Array.from({ length: 200 }, (_, line) => `line ${line}`).join("\n");
  const server = await connect({
    commands: {
      plugin: {
        load: () =>
          Promise.reject(
            new PthError("BUILD_FAILED", "Cannot build plugin: exited with 2", {
              output,
              tried: ["npm run build"],
              next: ["Give build"],
            }),
          ),
      },
    },
  });
  await server.call("pth_start_session", { pluginPath: "/p" });
  const result = await server.call("pth_load_plugin");
  t.equal(result.isError, true);
  const text = textOf(result);
  t.match(
    text,
    /^Cannot build plugin: exited with 2 \[BUILD_FAILED\]\nOutput:\n… 175 lines left out\nline 175\n/,
  );
  t.match(
    text,
    /line 199\nAll of it: pth_get_more\(\{ cursor: "more-1" \}\)\nTried:\n- npm run build\nNext:\n- Give build$/,
  );
  t.match(result._meta, { "pth/error": { code: "BUILD_FAILED", next: ["Give build"] } });
  t.notMatch(text, /at .*\.ts:\d+/, "no stack");
  t.equal((await server.names()).length, usualTools.length, "the session goes on");
  await server.hangUp();
});

t.test("what nobody foresaw is an error of that call alone, without a stack", async (t) => {
  const server = await connect({
    commands: {
      plugin: {
        config: () => {
          throw new TypeError("x is undefined");
        },
      },
    },
  });
  await server.call("pth_start_session", { pluginPath: "/p" });
  const result = await server.call("pth_get_plugin_config");
  t.equal(result.isError, true);
  t.equal(textOf(result), "Cannot run pth_get_plugin_config: x is undefined [INTERNAL]");
  t.equal((await server.names()).length, usualTools.length);
  await server.hangUp();
});

t.test("answers are texts alone, unless a client or its user asks for structured content", async (t) => {
  const plain = await connect({}, { structured: false });
  const tools = (await plain.client.listTools()).tools;
  t.ok(tools.every(({ outputSchema }) => outputSchema === undefined));
  const answer = await plain.call("pth_start_session", { pluginPath: "/p" });
  t.strictSame(Object.keys(answer), ["content"]);
  await plain.hangUp();

  const capabilities = { experimental: { structuredContent: {} } };
  const asking = await connect({}, { structured: false }, capabilities);
  t.ok((await asking.client.listTools()).tools.every(({ outputSchema }) => outputSchema !== undefined));
  t.match(await asking.call("pth_start_session", { pluginPath: "/p" }), {
    structuredContent: { session: {} },
  });
  await asking.hangUp();
});

t.test("a long answer comes in pages", async (t) => {
  const output = Array.from({ length: 5000 }, (_, line) => `line ${line}`).join("\n");
  const server = await connect({
    commands: {
      environment: {
        exec: () =>
          Promise.resolve({
            code: 0,
            signal: null,
            stdout: output,
            stderr: "",
            truncated: false,
            durationMs: 5,
          }),
      },
    },
  });
  await server.call("pth_start_session", { pluginPath: "/p" });
  const first = textOf(await server.call("pth_exec_in_environment", { command: "seq", detail: true }));
  const cursor = /pth_get_more\(\{ cursor: "(.+)" \}\)$/.exec(first)?.[1];
  t.match(textOf(await server.call("pth_get_more", { cursor })), /^line \d+\n/);
  t.match(await server.call("pth_get_more", { cursor: "nowhere" }), { isError: true });
  await server.hangUp();
});

t.test("a started session is answered once the client has listed its tools", async (t) => {
  const server = await connect();
  const order: string[] = [];
  server.client.setNotificationHandler(ToolListChangedNotificationSchema, async () => {
    await new Promise((resolve) => setTimeout(resolve, 100));
    order.push(`listed ${(await server.names()).length === 3 ? "few" : "all"}`);
  });
  await server.names();
  await server.call("pth_start_session", { pluginPath: "/p" });
  order.push("started");
  await server.call("pth_end_session");
  order.push("ended");
  t.strictSame(order, ["listed all", "started", "listed few", "ended"]);
  await server.hangUp();
});

const steps: ProgressStep[] = [
  { phase: "plan", message: "30 tests" },
  { phase: "suite", message: "first", done: 10, total: 30 },
  { phase: "suite", message: "again", done: 10, total: 30 },
  { phase: "suite", message: "last", done: 30, total: 30 },
];
const summary = { total: 0, passed: 0, failed: 0, skipped: 0, flaky: 0, durationMs: 1 };

t.test("steps reach a caller who asked for progress, and only grow", async (t) => {
  const server = await connect({
    commands: {
      tests: {
        runSuite: async (_suite, options) => {
          for (const step of steps) options?.onProgress?.(step);
          // Clients drop progress that comes right before the result.
          await new Promise((resolve) => setTimeout(resolve, 50));
          return { summary, results: [] };
        },
      },
    },
  });
  await server.call("pth_start_session", { pluginPath: "/p" });
  const seen: unknown[] = [];
  const onprogress = (note: unknown) => void seen.push(note);
  await server.client.callTool({ name: "pth_run_test_suite", arguments: {} }, undefined, { onprogress });
  t.strictSame(seen, [
    { progress: 1, message: "plan: 30 tests" },
    { progress: 11, total: 31, message: "suite: first" },
    { progress: 31, total: 31, message: "suite: last" },
  ]);
  await server.hangUp();
});

t.test("cancelling a call aborts the work; another call goes on beside it", async (t) => {
  let aborted = false;
  const server = await connect({
    commands: {
      environment: {
        logs: () => Promise.resolve("a line\n"),
        exec: (_command, _exec, options) =>
          new Promise((_resolve, reject) => {
            options?.signal?.addEventListener("abort", () => {
              aborted = true;
              reject(options.signal?.reason);
            });
          }),
      },
    },
  });
  await server.call("pth_start_session", { pluginPath: "/p" });
  const stop = new AbortController();
  const call = server.client.callTool(
    { name: "pth_exec_in_environment", arguments: { command: "sleep 9" } },
    undefined,
    {
      signal: stop.signal,
    },
  );
  const rejected = t.rejects(call);
  t.equal(textOf(await server.call("pth_get_environment_logs")), "a line");
  stop.abort();
  await rejected;
  await server.names();
  t.equal(aborted, true);
  await server.hangUp();
});

t.test("a host that hangs up ends the session and the work under way", async (t) => {
  let aborted = false;
  const server = await connect({
    commands: {
      environment: {
        exec: (_command, _exec, options) =>
          new Promise((_resolve, reject) => {
            options?.signal?.addEventListener("abort", () => {
              aborted = true;
              reject(options.signal?.reason);
            });
          }),
      },
    },
  });
  await server.call("pth_start_session", { pluginPath: "/p" });
  server.call("pth_exec_in_environment", { command: "sleep 9" }).catch(() => "the client is gone by then");
  t.equal(await server.hangUp(), 0);
  t.equal(aborted, true);
  t.equal(server.harness.ended, 1);
});

t.test("an answer under way when stdin closes is still given", async (t) => {
  const server = await connect({
    preflight: async () => {
      await new Promise((resolve) => setTimeout(resolve, 100));
      return [];
    },
  });
  const answer = server.call("pth_preflight");
  server.input.end();
  t.match(textOf(await answer), "Ready");
  t.equal(await server.served, 0);
  await server.client.close();
});

t.test("a line that is no message is skipped", async (t) => {
  const server = await connect();
  server.input.write('garbage\n{"a":1}\n[1,2]\n\n"text"\n');
  t.equal((await server.names()).length, 3);
  await server.hangUp();
});
