import t from "tap";
import {
  isDiagnosed,
  isLoadFailure,
  isOutOfReach,
  loadErrorText,
} from "../../../src/diagnosis/load_failure.ts";
import { type ErrorCode, errorCodes, PthError } from "../../../src/core/errors.ts";

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

t.test("only errors that are known to be the plugin's count as its failure to load", (t) => {
  const counted = (Object.keys(errorCodes) as ErrorCode[]).filter((code) =>
    isLoadFailure(new PthError(code, ""))
  );
  t.same(counted.sort(), [
    "BUILD_FAILED",
    "BUILD_SYSTEM_UNKNOWN",
    "CONFIG_MISSING",
    "INSTALL_FAILED",
    "INVALID_CONFIG",
    "PROTOCOL_VIOLATION",
    "SERVER_LOST",
    "SERVER_SILENT",
    "START_FAILED",
    "TOOLCHAIN_MISSING",
  ]);
  t.end();
});

t.test("a diagnosis also tells of what is not the plugin's fault, but not of a load that did not begin", (t) => {
  for (const code of Object.keys(errorCodes) as ErrorCode[]) {
    const error = new PthError(code, "");
    if (isLoadFailure(error)) t.ok(isDiagnosed(error), code);
  }
  t.ok(isDiagnosed(new PthError("NETWORK_UNAVAILABLE", "")));
  t.ok(isDiagnosed(new PthError("DEPENDENCY_FAILED", "")));
  t.notOk(isDiagnosed(new PthError("NOT_NOW", "")));
  t.end();
});

t.test("a fixer is not asked for values that a person has to give", (t) => {
  const missing = new PthError("CONFIG_MISSING", "Cannot start plugin: it needs REGION");
  t.equal(isOutOfReach(missing, false), true);
  t.equal(isOutOfReach(missing, true), false, "a fix may have asked for it, and another may take it back");
  t.equal(isOutOfReach(new PthError("BUILD_FAILED", "Cannot build"), false), false);
  t.end();
});
