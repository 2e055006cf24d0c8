/** Calls that take longer than hosts wait: handles, their answers, and what else is told of them. */
import t from "tap";
import type { ServeOptions } from "../../../src/server/main.ts";
import { PthError } from "../../../src/core/errors.ts";
import { connect, textOf } from "./connected_client.ts";
import type { Script } from "./scripted_harness.ts";

interface Work {
  /** Ends the call that began first of those under way. */
  finish(error?: unknown): void;
  aborted: unknown[];
}

/** Commands of the environment that end when the test says so, or when they are stopped. */
function held(): { script: Script; work: Work } {
  const ends: ((error?: unknown) => void)[] = [];
  const work: Work = { finish: (error) => ends.shift()?.(error), aborted: [] };
  const result = { code: 0, signal: null, stdout: "done\n", stderr: "", truncated: false, durationMs: 5 };
  return {
    work,
    script: {
      commands: {
        environment: {
          logs: () => Promise.resolve("a line\n"),
          drift: () => Promise.reject(new PthError("NOT_NOW", "Cannot look: the environment is busy")),
          exec: (_command, _exec, options) =>
            new Promise((resolve, reject) => {
              options?.onProgress?.({ phase: "exec", message: "sleeping" });
              ends.push((error) => error === undefined ? resolve(result) : reject(error));
              options?.signal?.addEventListener("abort", () => {
                work.aborted.push(options.signal?.reason);
                reject(options.signal?.reason);
              });
            }),
        },
      },
    },
  };
}

const begin = async (script: Script, options: ServeOptions = {}) => {
  const server = await connect(script, { structured: false, times: { handleAfter: 50 }, ...options });
  await server.call("pth_start_session", { pluginPath: "/p" });
  return server;
};
const sleep = { command: ["sleep", "9"] };
const handleOf = (text: string) => /pth_get_answer\(\{ call: "([^"]+)" \}\)/.exec(text)?.[1];

t.test("a call that takes long is answered by a handle, and its answer is fetched, also again", async (t) => {
  const { script, work } = held();
  const server = await begin(script);
  const first = await server.call("pth_exec_in_environment", sleep);
  t.notOk(first.isError);
  t.match(textOf(first), /^pth_exec_in_environment still runs, for 0 s now: exec: sleeping/);
  const call = handleOf(textOf(first));
  t.equal(call, "call-1");
  t.match(textOf(await server.call("pth_get_answer", { call })), /still runs/);
  setTimeout(() => work.finish(), 10);
  const answer = await server.call("pth_get_answer", { call });
  t.match(textOf(answer), /done/);
  t.strictSame(await server.call("pth_get_answer", { call }), answer);
  t.strictSame(work.aborted, []);
  await server.hangUp();
});

t.test("a call that fails behind its handle fails as it would have", async (t) => {
  const { script, work } = held();
  const server = await begin(script);
  const error = new PthError("EXEC_FAILED", "Cannot execute: no such command", { next: ["Install it"] });
  setTimeout(() => work.finish(error), 10);
  const direct = await server.call("pth_exec_in_environment", sleep);
  const call = handleOf(textOf(await server.call("pth_exec_in_environment", sleep)));
  work.finish(error);
  t.strictSame(await server.call("pth_get_answer", { call }), direct);
  t.match(textOf(direct), /no such command/);
  await server.hangUp();
});

t.test("a call behind its handle is stopped on request", async (t) => {
  const { script, work } = held();
  const server = await begin(script);
  const call = handleOf(textOf(await server.call("pth_exec_in_environment", sleep)));
  const cancelled = await server.call("pth_get_answer", { call, cancel: true });
  t.notOk(cancelled.isError);
  t.match(textOf(cancelled), /^pth_exec_in_environment is cancelled; it ran for 0 s\.$/);
  t.equal(work.aborted.length, 1);
  const again = await server.call("pth_get_answer", { call });
  t.ok(again.isError);
  t.match(textOf(again), /was cancelled \[INTERRUPTED\]/);
  await server.hangUp();
});

t.test("whoever asks for progress, or takes structured content, waits for the answer itself", async (t) => {
  for (const structured of [false, true]) {
    const { script, work } = held();
    const server = await begin(script, { structured });
    const request = { name: "pth_exec_in_environment", arguments: sleep };
    const answer = server.client.callTool(request, undefined, structured ? {} : { onprogress: () => {} });
    setTimeout(() => work.finish(), 200);
    t.match((await answer).content, [{ text: /done/ }]);
    await server.hangUp();
  }
});

t.test("what the client hears of the call goes on while its answer is asked for", async (t) => {
  const { script, work } = held();
  const server = await begin(script, { times: { handleAfter: 50, silence: 20 } });
  const call = handleOf(textOf(await server.call("pth_exec_in_environment", sleep)));
  const seen: string[] = [];
  setTimeout(() => work.finish(), 200);
  const { content } = await server.client.callTool(
    { name: "pth_get_answer", arguments: { call } },
    undefined,
    {
      onprogress: ({ message = "" }) => void seen.push(message),
    },
  );
  t.match(content, [{ text: /done/ }]);
  t.match(seen[0], /\(\d+ s\)$/);
  await server.hangUp();
});

t.test("the answer of an unknown call is refused with those that are known", async (t) => {
  const { script } = held();
  const server = await begin(script);
  t.match(
    textOf(await server.call("pth_get_answer", { call: "call-9" })),
    /no such call[^]*No call has an answer waiting/,
  );
  await server.call("pth_exec_in_environment", sleep);
  t.match(
    textOf(await server.call("pth_get_answer", { call: "call-9" })),
    /Ask for one of: call-1 \(pth_exec_in_environment\)/,
  );
  await server.hangUp();
});

t.test("the last answers are kept, and calls that still run", async (t) => {
  const { script, work } = held();
  const server = await begin(script);
  for (let at = 0; at < 10; at++) await server.call("pth_exec_in_environment", sleep);
  for (let at = 0; at < 9; at++) work.finish();
  await server.call("pth_exec_in_environment", sleep);
  const { isError } = await server.call("pth_get_answer", { call: "call-3" });
  t.ok(isError);
  t.match(textOf(await server.call("pth_get_answer", { call: "call-4" })), /done/);
  t.match(textOf(await server.call("pth_get_answer", { call: "call-10" })), /still runs/);
  await server.hangUp();
});

t.test("a start that takes long can be asked for without a session, and only then", async (t) => {
  let finish = () => {};
  const server = await connect(
    { start: () => new Promise((resolve) => finish = resolve) },
    { structured: false, times: { handleAfter: 50 } },
  );
  t.notOk((await server.names()).includes("pth_get_answer"));
  const call = handleOf(textOf(await server.call("pth_start_session", { pluginPath: "/p" })));
  t.ok((await server.names()).includes("pth_get_answer"));
  finish();
  t.match(textOf(await server.call("pth_get_answer", { call })), /Session a1b2c3 started/);
  await server.call("pth_end_session");
  t.match(textOf(await server.call("pth_get_answer", { call })), /Session a1b2c3 started/);
  await server.hangUp();
});

t.test("what is not possible now says which call is under way, and for how long", async (t) => {
  const { script, work } = held();
  const server = await begin(script);
  await server.call("pth_exec_in_environment", sleep);
  const { isError, ...refused } = await server.call("pth_check_environment_drift");
  t.ok(isError);
  t.match(
    textOf(refused),
    /\[NOT_NOW\][^]*Under way: call-1, pth_exec_in_environment, for 0 s: exec: sleeping \(0 s\)$/,
  );
  work.finish();
  await server.call("pth_get_answer", { call: "call-1" });
  t.notMatch(textOf(await server.call("pth_check_environment_drift")), /Under way/);
  await server.hangUp();
});

t.test("a host that hangs up stops what goes on behind a handle", async (t) => {
  const { script, work } = held();
  const server = await begin(script);
  await server.call("pth_exec_in_environment", sleep);
  t.equal(await server.hangUp(), 0);
  t.match(work.aborted, [{ code: "INTERRUPTED" }]);
});
