import t from "tap";
import type {
  ElicitRequestFormParams,
  ElicitRequestURLParams,
  ElicitResult,
} from "@modelcontextprotocol/sdk/types";
import type { ProgressStep } from "../../../src/api/harness.ts";
import { type AskingClient, configAsker } from "../../../src/server/config_asker.ts";

const plain = { name: "GREETING", secret: false, source: "package.json", description: "The word" };
const secret = { name: "API_KEY", secret: true, source: "package.json" };
type Params = ElicitRequestFormParams | ElicitRequestURLParams;

function client(
  abilities: Pick<AskingClient, "takesForms" | "opensPages">,
  answer: (params: Params) => ElicitResult | Promise<ElicitResult>,
) {
  const asked: Params[] = [];
  const completed: string[] = [];
  const steps: ProgressStep[] = [];
  const ask = configAsker({
    ...abilities,
    elicit: async (params) => {
      asked.push(params);
      return await answer(params);
    },
    completed: (id) => Promise.resolve(void completed.push(id)),
  }, (step) => steps.push(step));
  return { ask, asked, completed, steps };
}

const question = { plugin: "greeter", missing: [plain, secret] };
const type = async (params: Params, values: Record<string, string>) => {
  await fetch((params as ElicitRequestURLParams).url, {
    method: "POST",
    body: new URLSearchParams(values).toString(),
  });
  return { action: "accept" as const };
};

t.test("what is not secret goes into the form, what is onto the page", async (t) => {
  const { ask, asked, completed, steps } = client(
    { takesForms: true, opensPages: true },
    async (params) =>
      params.mode === "url"
        ? await type(params, { API_KEY: "hunter2" })
        : { action: "accept", content: { GREETING: 5 } },
  );
  t.strictSame(await ask(question), { values: { GREETING: "5", API_KEY: "hunter2" } });
  t.match(asked[0], { mode: "form", requestedSchema: { required: ["GREETING"] } });
  t.notMatch(JSON.stringify(asked[0]), "API_KEY");
  t.match(asked[1], { mode: "url", elicitationId: completed[0], message: /API_KEY/ });
  t.match(steps, [{ phase: "config", message: "asking for GREETING, API_KEY" }]);
});

t.test("a client without forms shows the page for everything", async (t) => {
  const values = { GREETING: "hi", API_KEY: "k" };
  const { ask, asked } = client({ takesForms: false, opensPages: true }, (params) => type(params, values));
  t.strictSame(await ask(question), { values });
  t.equal(asked.length, 1);
});

t.test("nobody is asked in vain", async (t) => {
  const never = () => Promise.reject(new Error("was asked"));
  const none = client({ takesForms: false, opensPages: false }, never);
  t.match(await none.ask(question), { refused: /no elicitation/ });
  const forms = client({ takesForms: true, opensPages: false }, never);
  t.match(await forms.ask(question), { refused: /API_KEY must not pass/ });
  t.strictSame([...none.asked, ...forms.asked], []);
});

t.test("a refusal ends the asking, and the page with it", async (t) => {
  const both = { takesForms: true, opensPages: true };
  const declined = client(both, () => ({ action: "decline" }));
  t.match(await declined.ask(question), { refused: /declined/ });
  t.equal(declined.asked.length, 1);
  const cancelled = client(both, () => ({ action: "cancel" }));
  t.match(await cancelled.ask({ plugin: "g", missing: [secret] }), { refused: /dismissed/ });
  await t.rejects(fetch((cancelled.asked[0] as ElicitRequestURLParams).url));
});

t.test("a client that cannot ask after all is told, one that gives up is obeyed", async (t) => {
  const broken = client({ takesForms: true, opensPages: true }, () => Promise.reject(new Error("no window")));
  t.match(await broken.ask(question), { refused: /the client could not: no window/ });
  const stop = new AbortController();
  const waiting = client({ takesForms: false, opensPages: true }, () => {
    stop.abort(new Error("given up"));
    return { action: "accept" };
  });
  await t.rejects(waiting.ask(question, stop.signal), /given up/);
  await t.rejects(fetch((waiting.asked[0] as ElicitRequestURLParams).url));
});
