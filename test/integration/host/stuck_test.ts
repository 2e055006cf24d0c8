// test: group=stuck
import t, { type Test } from "tap";
import { spawn } from "node:child_process";
import { runCommand, signalProcess } from "../../../src/platform/process.ts";
import { plantedPrograms } from "./programs/stuck/planted_programs.ts";
import { slowPrograms } from "./programs/stuck/slow_programs.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";
import { watchStuck } from "../../support/watch_stuck.ts";

const isThere = async (program: string) =>
  (await runCommand(["sh", "-c", 'command -v "$1"', "sh", program])).code === 0;

// They wait most of the time.
t.jobs = 2;

/** Starts a program that is ended with the test. */
function start(t: Test, words: string[]) {
  const child = spawn(words[0]!, words.slice(1), { stdio: ["pipe", "ignore", "pipe"], detached: true });
  const pid = child.pid!;
  t.teardown(() => void signalProcess(-pid, "SIGKILL"));
  let said = "";
  child.stderr!.on("data", (bytes) => said += bytes);
  return { pid, command: { printed: () => said, endsNow: () => {} } };
}

for (
  const { language, needs, make, run, cycle, functions = [], kind = "deadlock", loop } of plantedPrograms
) {
  const skip = await isThere(needs) ? false : `without ${needs}`;
  t.test(
    `${language}: a deadlock is certain, and computing without end is ${loop}`,
    { buffered: true, skip },
    async (t) => {
      const folder = await temporaryFolder(t);
      if (make !== undefined) {
        const made = await runCommand(make(folder));
        t.equal(made.code, 0, made.stderr);
      }
      const runner = language === "Rust" ? { runner: "libtest" as const } : {};
      const [dead, endless] = ["deadlock", "endless"].map((part) => {
        const { pid, command } = start(t, [...run(folder), part]);
        const watched = watchStuck(pid, { ...runner, command });
        t.teardown(() => watched.stop());
        return watched;
      });
      const found = await dead!.first("stuck.certain", 20_000);
      t.match(found, { judgement: { kind, certain: true } });
      if (found?.type === "stuck.certain") {
        const { threads, cycle: names = [] } = found.stacks;
        if (cycle !== undefined) {
          t.ok(names.length >= 2 && names.every((name) => cycle.test(name)), names.join());
        }
        const frames = threads.flatMap((thread) => thread.frames.map((frame) => frame.function));
        const gdb = ["Go", "Node"].includes(language) ||
          await isThere(language === "Java" ? "jstack" : "gdb");
        if (gdb) {
          for (const each of functions) {
            t.ok(frames.some((frame) => each.test(frame)), String(each));
          }
        }
      }
      const certain = loop === "certain" && await isThere("gdb");
      const type = certain ? "stuck.certain" : "stuck.suspected";
      t.match(await endless!.first(type, 40_000), { judgement: { kind: "infinite_loop" } });
    },
  );
}

const withBoth = await isThere("python3") && await isThere("node");

t.test("twenty slow programs are never certain to be stuck", {
  skip: withBoth ? false : "without python3 and node",
}, async (t) => {
  const names = Object.keys(slowPrograms);
  t.equal(names.length, 20);
  const watched = names.map((name) => watchStuck(start(t, slowPrograms[name]!).pid));
  t.teardown(() => Promise.all(watched.map((each) => each.stop())));
  await new Promise((resolve) => setTimeout(resolve, 6000));
  for (const [at, { facts }] of watched.entries()) {
    const wrong = facts.filter(({ type }) => type === "stuck.certain" || type === "stuck.not_watched");
    t.same(wrong.map((fact) => "judgement" in fact ? fact.judgement : fact), [], names[at]!);
  }
});

t.test("a process that is gone is nothing that is stuck", async (t) => {
  const watched = watchStuck(start(t, ["true"]).pid);
  t.teardown(() => watched.stop());
  await new Promise((resolve) => setTimeout(resolve, 1500));
  t.same(watched.facts, []);
});
