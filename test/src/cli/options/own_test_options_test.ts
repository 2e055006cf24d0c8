import { Command } from "commander";
import t from "tap";
import { addOwnTestOptions, readOwnTests } from "../../../../src/cli/options/own_test_options.ts";
import { Problems } from "../../../../src/cli/options/problems.ts";

const read = async (...args: string[]) => {
  const command = addOwnTestOptions(new Command()).argument("[target]").parse(args, { from: "user" });
  const problems = new Problems();
  const asked = await readOwnTests(command.opts(), problems);
  problems.throwIfAny("Cannot run");
  return { asked, operands: command.args };
};

t.test("own tests run where an option names them, and a target behind it stays the target", async (t) => {
  t.same(await read("./plugin"), { asked: undefined, operands: ["./plugin"] });
  t.same(await read("--own-tests", "./plugin"), { asked: {}, operands: ["./plugin"] });
  t.same((await read("--own-tests-level", "unit", "--own-tests-timeout", "90")).asked, {
    level: "unit",
    timeoutMs: 90_000,
  });
  const several = ["pytest", "vitest", "pytest"].flatMap((name) => ["--own-tests-framework", name]);
  t.same((await read(...several)).asked, { frameworks: ["pytest", "vitest"] });
  t.same((await read("--own-tests-command", "./build/tests -v")).asked, { command: "./build/tests -v" });
});

t.test("a command is of one framework", async (t) => {
  const both = ["cargo", "pytest"].flatMap((name) => ["--own-tests-framework", name]);
  await t.rejects(read(...both, "--own-tests-command", "x"), {
    message: /--own-tests-command is a command of one/,
  });
});

t.test("all that is wrong with them is said at once, before anything starts", async (t) => {
  const wrong = ["--own-tests-framework", "vitset", "--own-tests-level", "all", "--own-tests-timeout", "0"];
  await t.rejects(read(...wrong), {
    message:
      /--own-tests-timeout expects[^]*--own-tests-framework expects one of [^]*did you mean "vitest"[^]*--own-tests-level/,
  });
});
