import t from "tap";
import { LiveDependency } from "../../../../src/actors/plugin/live_dependency.ts";
import { askForConfig } from "../../../../src/app/environment/ask_for_config.ts";
import { PthError } from "../../../../src/core/errors.ts";
import type { ConfigAnswer, ConfigQuestion } from "../../../../src/api/harness.ts";
import { liveSession } from "../../actors/live.ts";

const missing = (names: string[], facts: object = {}) =>
  new PthError("CONFIG_MISSING", "Cannot start plugin", {
    missing: names.map((name) => ({ name, secret: name.includes("KEY"), source: "package.json" })),
    ...facts,
  });

/** Work that fails with these errors, one after the other, and then succeeds. */
function failing(...errors: Error[]) {
  let done = 0;
  return () => (done < errors.length ? Promise.reject(errors[done++]) : Promise.resolve(`after ${done}`));
}

/** Tries the work again after each answer, as the load machine does. */
async function askingConfig<T>(
  live: ReturnType<typeof liveSession>["live"],
  options: Parameters<typeof askForConfig>[1],
  work: () => Promise<T>,
): Promise<T> {
  let asked: string[] = [];
  for (;;) {
    try {
      return await work();
    } catch (error) {
      asked = await askForConfig(live, options, error, asked);
    }
  }
}

const answering = (...answers: ConfigAnswer[]) => {
  const asked: ConfigQuestion[] = [];
  const askConfig = (question: ConfigQuestion) => Promise.resolve(answers[asked.push(question) - 1]!);
  return { asked, askConfig };
};

t.test("values that are given are kept where they belong, and the work is tried again", async (t) => {
  const { live } = liveSession();
  live.plugin.dependencies.set("db", new LiveDependency({ source: "/db", name: "db" }, 0));
  const { asked, askConfig } = answering(
    { values: { A: "1", KEY: "tulip-mania" } },
    { values: { DB_KEY: "parrot-tulip", EMPTY: "" } },
  );
  const work = failing(missing(["A", "KEY"]), missing(["DB_KEY", "EMPTY"], { dependency: "db" }));
  t.equal(await askingConfig(live, { askConfig }, work), "after 2");
  t.match(asked[1], { plugin: "the dependency db", missing: [{ name: "DB_KEY", secret: true }, {}] });
  t.strictSame(live.questions.answers, { A: "1" });
  t.strictSame(
    [...live.secrets.values],
    [["KEY", "tulip-mania"]],
    "the plugin is not given a dependency's secret",
  );
  t.strictSame(live.plugin.dependencies.get("db")!.given, { DB_KEY: "parrot-tulip" });
  t.equal(live.secrets.redact.text("tulip-mania parrot-tulip"), "[REDACTED] [REDACTED]");
});

t.test("an answer that does not help is not asked for for ever", async (t) => {
  const { live } = liveSession();
  const { asked, askConfig } = answering({ values: {} }, { values: {} });
  const error = await askingConfig(live, { askConfig }, failing(missing(["A"]), missing(["A"]))).catch((e) =>
    e
  );
  t.match(error, { code: "CONFIG_MISSING", context: { asked: "the answer left it open" } });
  t.equal(asked.length, 1);
});

t.test("a refusal is told with what is missing", async (t) => {
  const { live } = liveSession();
  const { askConfig } = answering({ refused: "the person, who declined" });
  const error = await askingConfig(live, { askConfig }, failing(missing(["A"]))).catch((e) => e);
  t.match(error, {
    code: "CONFIG_MISSING",
    context: { asked: "the person, who declined", missing: [{ name: "A" }] },
  });
});

t.test("other failures, and those of whom nobody can be asked, pass", async (t) => {
  const { live } = liveSession();
  const { asked, askConfig } = answering();
  const lost = new PthError("BUILD_FAILED", "Cannot build plugin: exited with 1");
  t.equal(await askingConfig(live, { askConfig }, failing(lost)).catch((e) => e), lost);
  const unasked = missing(["A"]);
  t.equal(await askingConfig(live, {}, failing(unasked)).catch((e) => e), unasked);
  t.strictSame(asked, []);
});
