import { join } from "node:path";
import t from "tap";
import { runCommand } from "../../../src/platform/process.ts";

const root = join(import.meta.dirname!, "../../..");
const test = (...args: string[]) =>
  runCommand([Deno.execPath(), "run", "-A", "scripts/test.ts", ...args], { cwd: root });

t.test("wrong use of the test command is one line, no stack, and exit code 2", async (t) => {
  const cases: [string[], RegExp][] = [
    [["--on", "bun"], /--on is deno, node or both, not bun/],
    [["--jobs", "none"], /--jobs is a number from 1 on, not none/],
    [["--colour"], /--colour/],
    [["test/src/nowhere"], /there is no test\/src\/nowhere/],
    [["test/fixtures/nothing", "docs"], /there is no test\/fixtures\/nothing/],
    [["docs"], /no \*_test\.ts docs/],
  ];
  await Promise.all(cases.map(async ([args, message]) => {
    const { code, stdout, stderr } = await test(...args);
    t.equal(code, 2, args.join(" "));
    t.equal(stdout, "");
    t.match(stderr, message);
    t.match(stderr, /^Cannot run tests: [^\n]*\n$/);
  }));
});
