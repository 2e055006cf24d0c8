import t from "tap";
import { loadErrorText } from "../../../src/diagnosis/load_failure.ts";
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
