import t from "tap";
import { EnvironmentHolder, type LiveEnvironment } from "../../../../src/actors/stores/environment_holder.ts";
import { ProgressReporter } from "../../../../src/actors/stores/progress_reporter.ts";
import { SecretVault } from "../../../../src/actors/stores/secret_vault.ts";
import type { PublishedEvent } from "../../../../src/api/harness.ts";

const environment = { info: { handle: { environmentId: "s1-e1" } } } as unknown as LiveEnvironment;

t.test("an environment that is given up is kept for the end", (t) => {
  const facts: PublishedEvent[] = [];
  const holder = new EnvironmentHolder(new ProgressReporter(new SecretVault(), (fact) => facts.push(fact)));
  t.throws(() => holder.require(), { code: "NOT_NOW" });
  holder.current = environment;
  t.equal(holder.require(), environment);
  holder.abandon(new Error("the engine is gone"));
  t.equal(holder.current, undefined);
  t.same(holder.abandoned, [environment]);
  t.match(facts, [{ type: "session.noted", message: /^Environment s1-e1 .*: the engine is gone\./ }]);
  t.end();
});
