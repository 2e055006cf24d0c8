import t from "tap";
import { applies, echo, echoes, lost, outcome, runOn, silent, text, tool } from "./function_server.ts";

t.test("tools that only read are cancelled, and a server that goes on passes", async (t) => {
  const called: string[] = [];
  const verdict = await runOn("survives_cancellation", {
    tools: [
      echo,
      tool("delete_all", {}, { annotations: {} }),
      tool("save_note", { text }, { annotations: {} }),
    ],
    answer: (name, input) => (called.push(name), echoes(name, input)),
  });
  t.match(verdict, { status: "passed", note: "1 call cancelled" });
  t.same([...new Set(called)], ["echo"]);
});

t.test("a server that ends when a call is cancelled fails, with its last words", async (t) => {
  let over = false;
  const verdict = await runOn("survives_cancellation", {
    tools: [echo],
    answer: async (_name, _input, cancelled) => {
      if (over) throw lost();
      await new Promise((resolve) => setTimeout(resolve, 1));
      over = cancelled();
      return "done";
    },
    ping: () =>
      new Promise((resolve, reject) => setTimeout(() => over ? reject(lost()) : resolve(outcome("")), 5)),
  });
  t.match(verdict, {
    status: "failed",
    category: "runtime-exception",
    message: /a call of echo was cancelled.*\n.*boom/,
  });
});

t.test("a server that answers nothing after a cancelled call fails, and says what it did not answer", async (t) => {
  const blocked = await runOn("survives_cancellation", {
    tools: [echo],
    answer: echoes,
    ping: () => Promise.reject(silent()),
  });
  t.match(blocked, {
    status: "failed",
    category: "timeout",
    message: /a call of echo was cancelled.*a ping/,
  });
  let calls = 0;
  const locked = await runOn("survives_cancellation", {
    tools: [echo],
    answer: (name, input) => ++calls > 2 ? Promise.reject(silent()) : echoes(name, input),
  });
  t.match(locked, { status: "failed", message: /the next call of echo/ });
});

t.test("a server that ends at a call that was left alone, or has nothing to call, is not judged by it", async (t) => {
  const dies = { tools: [echo], answer: () => Promise.reject(lost()) };
  t.match(await runOn("survives_cancellation", dies), { status: "skipped" });
  t.match(await runOn("answers_calls_at_once", dies), { status: "skipped" });
  const none = { tools: [tool("save_it", { text }, { annotations: {} })], answer: echoes };
  t.match(await runOn("survives_cancellation", none), { status: "skipped" });
});

t.test("it applies to servers with a tool that may be called", (t) => {
  t.ok(applies("survives_cancellation", [echo]));
  t.notOk(applies("survives_cancellation", [tool("set_it", { text }, { annotations: {} })]));
  t.notOk(applies("answers_calls_at_once", [tool("set_it", { text }, { annotations: {} })]));
  t.end();
});
