import t from "tap";
import { SessionResources } from "../../../src/actors/session_resources.ts";
import { PthError } from "../../../src/core/errors.ts";
import type { PublishedEvent } from "../../../src/api/harness.ts";
import type { SessionRegister } from "../../../src/registry/register.ts";

const secret = "kilo-81-vault";

function liveSession() {
  const facts: PublishedEvent[] = [];
  const live = new SessionResources("s", { secrets: { KEY: secret } }, {} as SessionRegister, (fact) => {
    facts.push(fact);
  });
  return { live, facts };
}

const outputs = (facts: PublishedEvent[]) =>
  facts.flatMap((fact) => (fact.type === "step.output" ? fact.text : []));

t.test("a secret that comes in two pieces is taken out of the output", async (t) => {
  const { live, facts } = liveSession();
  const output = live.output("build");
  output("one\nkey is kilo-8", "stdout");
  output("warning: ", "stderr");
  output("1-vault.\nthree", "stdout");
  output("none\r", "stderr");
  t.same(outputs(facts), ["one\n", "key is [REDACTED].\n", "warning: none\r"]);
  await live.settled();
});

t.test("messages come at once, each on its own", (t) => {
  const { live, facts } = liveSession();
  live.messages("source")(`copying ${secret}`);
  t.same(outputs(facts), ["copying [REDACTED]"]);
  t.end();
});

t.test("steps and notes tell no secret, however they end", async (t) => {
  const { live, facts } = liveSession();
  await live.step("start", `with ${secret}`, () => Promise.resolve(secret), (name) => `${name} started`);
  const failure = new PthError("BUILD_FAILED", `Cannot build: ${secret}`, { output: `${secret}\n` });
  await t.rejects(live.step("build", "building", () => Promise.reject(failure)), failure);
  live.note({ terminal: `see ${secret}`, mcp: `ask for ${secret}` });
  t.same(facts.map(({ type }) => type), [
    "step.started",
    "step.finished",
    "step.started",
    "step.failed",
    "session.noted",
  ]);
  const told = JSON.stringify(
    facts,
    (_key, value) => value instanceof PthError ? { message: value.message, context: value.context } : value,
  );
  t.notMatch(told, secret);
  t.match(told, "Cannot build: [REDACTED]");
});

t.test("work that does not end is not waited for without end", async (t) => {
  const { live } = liveSession();
  let end = () => {};
  live.track(new Promise<void>((resolve) => end = resolve));
  const alive = setTimeout(() => {}, 5000);
  t.equal(await live.settled(20), false);
  end();
  t.equal(await live.settled(), true);
  clearTimeout(alive);
});
