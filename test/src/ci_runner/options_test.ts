import t from "tap";
import { readOptions } from "../../../src/ci_runner/options.ts";

t.test("options are read", (t) => {
  t.match(readOptions(["--junit", "j.xml", "--tap", "--no-build"]), {
    junit: "j.xml",
    tap: true,
    noBuild: true,
  });
  t.match(readOptions(["--retries", "2", "--shard", "1/3", "--fail-fast"]), {
    retries: 2,
    shard: { index: 1, of: 3 },
    failFast: true,
  });
  t.match(readOptions([]), { help: false, tap: false, noBuild: false });
  t.end();
});

t.test("an unknown option, a missing value and a stray word are wrong use", (t) => {
  for (const args of [["--jnit", "x"], ["--junit"], ["tests.yaml"], ["--shard", "3/2"], ["--retries", "x"]]) {
    t.throws(() => readOptions(args), { code: "INVALID_INPUT", exitCode: 2 }, args.join(" "));
  }
  t.end();
});
