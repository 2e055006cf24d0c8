// test: timeout=300
/** The broken plugin, mended by a scripted fixer from its diagnoses alone: one commit for each root cause, retested green. */
import t from "tap";
import { vendorModules } from "../../support/vendored_packages.ts";
import { fixer, iteratePlace } from "../../support/iterate_place.ts";
import { readiness } from "../../support/readiness.ts";

t.setTimeout(300_000);

const { sandbox, docker } = await readiness();

t.test(
  "in a sandbox: all faults become commits with trailers, and the report is there",
  { skip: sandbox },
  async (t) => {
    const place = await iteratePlace(t, "broken_plugin", vendorModules);
    const { code, stdout, stderr } = await place.iterate(
      fixer("repair_broken_plugin.mjs"),
      "--env",
      "sandbox",
      "--timeout",
      "2",
    );
    t.equal(code, 0, stdout + stderr);
    t.match(stdout, "Green after 4 fixes in 1 iteration.");
    t.same((await place.commits("fix")).sort(), [
      "fix: Answer from the index instead of throwing after the answer",
      "fix: Answer that the archive holds nothing",
      "fix: Give the length as a number, and the language that the schema asks for",
      "fix: Render the table without a package that is not installed",
    ]);
    const branch = await place.branch();
    const trailers = (key: string) =>
      place.git(
        "log",
        `--format=%(trailers:key=PTH-${key},valueonly,separator=%x2C)`,
        "--grep=^PTH-Type: fix",
        branch,
      );
    t.same((await trailers("Category")).split("\n").sort(), [
      "dependency-error",
      "runtime-exception",
      "schema-violation",
      "timeout",
    ]);
    t.same(new Set((await trailers("Files")).split("\n")), new Set(["index.mjs"]));
    t.same(new Set((await trailers("Iteration")).split("\n")), new Set(["1"]));
    t.match(await trailers("Test"), /missing_import - valid/);
    const report = await place.git("show", `${branch}:.pth/SESSION-REPORT.md`);
    for (const text of ["Render the table without a package", "dependency-error"]) t.match(report, text);
    t.match(
      await place.git("ls-tree", "-r", "--name-only", branch),
      ".pth/tests/generated/tool-missing-import.yaml",
    );
    t.equal(await place.git("status", "--porcelain"), "", "the checkout is as it was");
  },
);

t.test(
  "in a container: the fixer works on the host, the fixed plugin runs inside",
  { skip: docker },
  async (t) => {
    const place = await iteratePlace(t, "switched_plugin");
    const { code, stdout, stderr } = await place.iterate(fixer("switch_off.mjs", "good"), "--env", "docker");
    t.equal(code, 0, stdout + stderr);
    t.match(stdout, /provision docker/);
    t.match(stdout, "Green after 1 fix in 1 iteration.");
    t.equal((await place.commits("fix")).length, 1);
  },
);
