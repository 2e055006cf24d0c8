// Notices a test file whose process was left by process.exit(): its runner would take that for a success.
"use strict";
const { writeFileSync } = require("node:fs");
const { isMainThread } = require("node:worker_threads");

const events = process.env.PTH_TEST_EVENTS;
const options = process.execArgv.join("\n");
const runs = isMainThread && process.send === undefined && !/^--test(-force-exit)?$/m.test(options);
if (runs && process.argv[1] !== undefined) {
  let natural = false;
  process.on("beforeExit", () => natural = true);
  const notice = (code) => {
    const tests = process.moduleLoadList.some((name) => name.endsWith(" internal/test_runner/test"));
    if (natural || Number(code ?? 0) !== 0 || !tests) return;
    // A hook behind all tests may do so.
    if (/\bafter \(node:internal\/test_runner/.test(new Error().stack)) return;
    const event = { type: "left", suite: process.argv[1] };
    writeFileSync(events, `${JSON.stringify(event)}\n`, { flag: "a" });
  };
  // What ends the process: listeners are the tests' to remove.
  const { reallyExit } = process;
  process.reallyExit = (code) => {
    notice(code);
    return reallyExit.call(process, code);
  };
}
