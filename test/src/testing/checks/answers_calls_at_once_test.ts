import t from "tap";
import type { CallOutcome } from "../../../../machines/model/plugin.ts";
import { echo, echoes, type Input, outcome, runOn, silent, tool } from "./function_server.ts";

/** A server that works on the text that came last, as long as it takes one moment for each. */
function sharing(answer: (last: string, own: string) => string) {
  let last = "";
  return async (_name: string, input: Input) => {
    last = String(input.text);
    await new Promise((resolve) => setTimeout(resolve, 2));
    return answer(last, String(input.text));
  };
}

t.test("answers that are another call's fail, and name both calls", async (t) => {
  const mixed = await runOn("answers_calls_at_once", {
    tools: [echo],
    answer: sharing((last) => `Got ${last}`),
  });
  t.match(mixed, {
    status: "failed",
    category: "wrong-output",
    message: /got the answer to echo called with.*pthzebu/,
  });
  t.match(await runOn("answers_calls_at_once", { tools: [echo], answer: sharing((_last, own) => own) }), {
    status: "passed",
    note: "2 calls at once",
  });
});

t.test("a tool that tells of other calls, or never answers alike, is not blamed for it", async (t) => {
  let number = 0;
  const counting = { tools: [echo], answer: sharing((last) => `${++number}: ${last}`) };
  t.match(await runOn("answers_calls_at_once", counting), { status: "passed", findings: [] });
  let last = "";
  const telling = await runOn("answers_calls_at_once", {
    tools: [echo, tool("last_text", {})],
    answer: async (name, input) => {
      if (name === "echo") last = String(input.text);
      await new Promise((resolve) => setTimeout(resolve, 2));
      return name === "echo" ? String(input.text) : `The last text was ${last}`;
    },
  });
  t.match(telling, { status: "passed", findings: [] });
});

t.test("calls at once that are not answered, or fail only then, are told", async (t) => {
  let open = 0;
  const busy = async (most: number, answer: () => CallOutcome) => {
    open++;
    await new Promise((resolve) => setTimeout(resolve, 2));
    const crowd = open;
    open--;
    return crowd > most ? answer() : outcome("done");
  };
  const fails = await runOn("answers_calls_at_once", {
    tools: [echo],
    answer: () => busy(1, () => outcome("the desk is taken", { isError: true })),
  });
  t.match(fails, {
    status: "passed",
    findings: [{ code: "fails-beside-others", message: /the desk is taken/ }],
  });
  const mute = await runOn("answers_calls_at_once", {
    tools: [echo],
    answer: () =>
      busy(1, () => {
        throw silent();
      }),
  });
  t.match(mute, { status: "failed", category: "timeout", message: /1 of 2 calls made at once/ });
});

t.test("a call made at once that is answered twice fails", async (t) => {
  let calls = 0;
  const twice = await runOn("answers_calls_at_once", {
    tools: [echo],
    answer: (name, input) => (calls++, echoes(name, input)),
    incidents: () =>
      calls > 2
        ? [{
          code: "answered-twice",
          moment: { phase: "calls" },
          firstCall: false,
          detail: "a second answer",
        }]
        : [],
  });
  t.match(twice, { status: "failed", message: /answered twice/ });
});
