import t from "tap";
import { chooseLevel, createLog, redactLog } from "../../../src/platform/log.ts";

t.test("PTH_DEBUG chooses the level; a log file alone means info", (t) => {
  t.equal(chooseLevel(undefined, undefined), "error");
  t.equal(chooseLevel("", undefined), "error");
  t.equal(chooseLevel(undefined, "/tmp/x"), "info");
  t.equal(chooseLevel("1", undefined), "debug");
  t.equal(chooseLevel("trace", undefined), "trace");
  t.equal(chooseLevel("warn", "/tmp/x"), "warn");
  t.end();
});

t.test("lines are JSON, errors keep their message, and lower levels are left out", (t) => {
  const lines: string[] = [];
  const log = createLog(() => ({ level: "info", write: (line) => lines.push(line) }));
  log.debug("not written");
  log.error("failed", { error: new TypeError("bad"), tool: "x", message: "other" });
  t.equal(lines.length, 1);
  t.match(JSON.parse(lines[0]!), {
    level: "error",
    message: "failed",
    tool: "x",
    error: { name: "TypeError", message: "bad" },
  });
  t.equal(log.enabled("warn"), true);
  t.equal(log.enabled("trace"), false);
  t.end();
});

t.test("secrets are taken out of every line", (t) => {
  const lines: string[] = [];
  const log = createLog(() => ({ level: "trace", write: (line) => lines.push(line) }));
  redactLog((text) => text.replaceAll("hunter2", "[REDACTED]"));
  t.teardown(() => redactLog((text) => text));
  log.trace("sent", { rpc: { password: "hunter2" } });
  t.notMatch(lines[0], "hunter2");
  t.match(lines[0], "[REDACTED]");
  t.end();
});
