import process from "node:process";
import t from "tap";
import { readRealModel } from "../../../../src/cli/options/model_options.ts";
import { Problems } from "../../../../src/cli/options/problems.ts";

function read(options: Record<string, unknown>) {
  const problems = new Problems();
  const model = readRealModel(options, problems);
  let text = "";
  try {
    problems.throwIfAny("Cannot run");
  } catch (error) {
    text = String((error as Error).message);
  }
  return { model, text };
}

t.test("a real model has an address, a key by name, and a budget that can be counted", (t) => {
  process.env["TEST_OPTIONS_KEY"] = "k";
  t.teardown(() => delete process.env["TEST_OPTIONS_KEY"]);
  t.strictSame(
    read({
      upstream: "https://api.example.com",
      upstreamKey: "TEST_OPTIONS_KEY",
      model: "m",
      budgetTokens: "9",
      budgetCost: "2",
      prices: "3/15",
    }),
    {
      model: {
        upstream: { url: "https://api.example.com", key: "TEST_OPTIONS_KEY" },
        model: "m",
        budget: { tokens: 9, cost: 2, prices: { input: 3, output: 15 } },
      },
      text: "",
    },
  );
  t.strictSame(read({ upstream: "http://127.0.0.1:8080" }).model, {
    upstream: { url: "http://127.0.0.1:8080" },
  });
  t.strictSame(read({}), { model: undefined, text: "" });
  t.end();
});

t.test("what is missing for it is told together, and no key is shown", (t) => {
  const { text } = read({
    upstream: "https://api.example.com",
    upstreamKey: "sk-ant-1234",
    budgetCost: "5",
    prices: "3",
  });
  t.match(text, /--upstream-key expects the name of an environment variable/);
  t.notMatch(text, "sk-ant");
  t.match(text, /--prices expects <input>\/<output>/);
  t.match(
    read({ upstream: "https://api.example.com" }).text,
    /--upstream-key: name the environment variable/,
  );
  t.match(
    read({ upstream: "https://a.example", upstreamKey: "NOT_SET_ANYWHERE" }).text,
    /NOT_SET_ANYWHERE is not set/,
  );
  t.match(read({ upstream: "ftp://a" }).text, /--upstream: .* is no http\(s\) address/);
  t.match(read({ budgetTokens: "5" }).text, /--budget-tokens is for a real model/);
  t.match(read({ upstream: "http://localhost", budgetCost: "1", prices: "0/0" }).text, /prices of 0/);
  t.end();
});
