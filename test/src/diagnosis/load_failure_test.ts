import t from "tap";
import { isOutOfReach, loadErrorText } from "../../../src/diagnosis/load_failure.ts";
import { PthError } from "../../../src/errors.ts";

t.test("why a plugin does not load comes with the end of the output, bounded", (t) => {
  const output = Array.from({ length: 50 }, (_, index) => `line ${index} ${"x".repeat(1000)}`).join("\n\n");
  const lines = loadErrorText(new PthError("BUILD_FAILED", "Cannot build:\n exited with 2", { output }))
    .split("\n");
  t.equal(lines[0], "Cannot build: exited with 2");
  t.equal(lines.length, 25);
  t.match(lines.at(-1), /^line 49 x/);
  t.ok(lines.every(({ length }) => length <= 300));
  t.equal(loadErrorText(new PthError("START_FAILED", "Cannot start")), "Cannot start");
  t.end();
});

t.test("a fixer is not asked for values that a person has to give, nor for what the plugin depends on", (t) => {
  const missing = new PthError("CONFIG_MISSING", "Cannot start plugin: it needs REGION");
  t.equal(isOutOfReach(missing, false), true);
  t.equal(isOutOfReach(missing, true), false, "a fix may have asked for it, and another may take it back");
  t.equal(isOutOfReach(new PthError("DEPENDENCY_FAILED", "Cannot start dependency"), true), true);
  t.equal(isOutOfReach(new PthError("BUILD_FAILED", "Cannot build"), false), false);
  t.end();
});
