import t from "tap";
import { printOutput } from "../../../src/cli/commands/clean.ts";
import type { CleanReport } from "../../../src/session/clean.ts";
import { keptContext, scriptedHarness } from "./scripted_harness.ts";

const nothing: CleanReport = {
  dryRun: false,
  removed: [],
  failed: [],
  kept: [],
  liveSessions: [],
  unreachable: [],
};
const container = { kind: "container", name: "pth-e1", sessionId: "s1" } as const;

function printed(report: Partial<CleanReport>) {
  const kept = keptContext(scriptedHarness());
  printOutput({ ...nothing, ...report }, kept.context);
  return { stdout: kept.stdout(), stderr: kept.stderr() };
}

t.test("says what went, what stays and why, and what could not be asked", (t) => {
  t.equal(printed({}).stdout, "nothing to remove\n");
  t.equal(printed({ removed: [container] }).stdout, "removed container pth-e1\n");
  t.equal(printed({ removed: [container], dryRun: true }).stdout, "would remove container pth-e1\n");
  const mixed = printed({
    failed: [{ ...container, reason: "permission denied" }],
    kept: [{ ...container, kind: "branch", name: "pth/x", reason: "it holds 2 commits" }],
    liveSessions: ["s2"],
    unreachable: [{ runtime: "docker", reason: "no engine answers" }],
  });
  t.equal(mixed.stdout, "kept branch pth/x: it holds 2 commits\nnot touched: running sessions s2\n");
  t.equal(
    mixed.stderr,
    "could not remove container pth-e1: permission denied\ncould not query docker: no engine answers\n",
  );
  t.end();
});
