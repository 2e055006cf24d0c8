import t from "tap";
import { ProgressReporter } from "../../../../src/actors/stores/progress_reporter.ts";
import { SecretVault } from "../../../../src/actors/stores/secret_vault.ts";
import { PthError } from "../../../../src/core/errors.ts";
import type { PublishedEvent } from "../../../../src/api/harness.ts";

const secret = "kilo-81-vault";

function reporter() {
  const facts: PublishedEvent[] = [];
  const progress = new ProgressReporter(new SecretVault({ KEY: secret }), (fact) => {
    facts.push(fact);
  });
  return { progress, facts };
}

const outputs = (facts: PublishedEvent[]) =>
  facts.flatMap((fact) => (fact.type === "step.output" ? fact.text : []));

t.test("a secret that comes in two pieces is taken out of the output", (t) => {
  const { progress, facts } = reporter();
  const output = progress.output("build");
  output("one\nkey is kilo-8", "stdout");
  output("warning: ", "stderr");
  output("1-vault.\nthree", "stdout");
  output("none\r", "stderr");
  t.same(outputs(facts), ["one\n", "key is [REDACTED].\n", "warning: none\r"]);
  t.end();
});

t.test("messages come at once, each on its own", (t) => {
  const { progress, facts } = reporter();
  progress.messages("source")(`copying ${secret}`);
  t.same(outputs(facts), ["copying [REDACTED]"]);
  t.end();
});

t.test("steps and notes tell no secret, however they end", async (t) => {
  const { progress, facts } = reporter();
  await progress.step("start", `with ${secret}`, () => Promise.resolve(secret), (name) => `${name} started`);
  const failure = new PthError("BUILD_FAILED", `Cannot build: ${secret}`, { output: `${secret}\n` });
  await t.rejects(progress.step("build", "building", () => Promise.reject(failure)), failure);
  progress.note({ terminal: `see ${secret}`, mcp: `ask for ${secret}` });
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
