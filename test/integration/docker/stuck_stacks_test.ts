// test: timeout=120 group=stuck
/** A stuck program in a container that may not trace: its threads are judged all the same, and the refusal is told. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import t from "tap";
import { writeTextFile } from "../../../src/platform/files.ts";
import { runCommand } from "../../../src/platform/process.ts";
import { judgeSample } from "../../../src/stuck/judge_sample.ts";
import { startSampler } from "../../../src/stuck/sampler.ts";
import type { SamplerAccess } from "../../../src/stuck/sampler_access.ts";
import { captureStacks } from "../../../src/stuck/stacks/capture_stacks.ts";
import { hostAccess } from "../../support/host_access.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";
import { needsDocker } from "./docker_subject.ts";

const source = fileURLToPath(new URL("../host/programs/stuck/dead.cpp", import.meta.url));
const { signal } = new AbortController();

/** The way into a container by Docker's own client. */
function inside(container: string): SamplerAccess {
  const words = (argv: readonly string[], env: Record<string, string> = {}) => [
    ...["docker", "exec", "-i"],
    ...Object.entries(env).flatMap(([name, value]) => ["-e", `${name}=${value}`]),
    container,
    ...argv,
  ];
  return {
    spawn: (argv, { env } = {}) => hostAccess.spawn(words(argv, env)),
    exec: (argv, { env, ...options } = {}) => hostAccess.exec(words(argv, env), options),
  };
}

const programs = await runCommand(["sh", "-c", "command -v gdb && command -v g++"]);
const needs = programs.code === 0 ? needsDocker : { skip: "without g++ and gdb" };

t.test("a container without SYS_PTRACE, behind a seccomp filter", needs, async (t) => {
  const folder = await temporaryFolder(t);
  const made = await runCommand([
    "g++",
    "-g",
    "-O1",
    "-pthread",
    "-o",
    join(folder, "dead"),
    source,
  ]);
  t.equal(made.code, 0, made.stderr);
  const calls = ["ptrace", "process_vm_readv"];
  const filter = {
    defaultAction: "SCMP_ACT_ALLOW",
    syscalls: [{ names: calls, action: "SCMP_ACT_ERRNO", errnoRet: 1 }],
  };
  await writeTextFile(join(folder, "seccomp.json"), JSON.stringify(filter));
  // The machine's own programs bring gdb into the container.
  const { stdout, stderr, code } = await runCommand([
    ...["docker", "run", "--rm", "--detach", "--network", "none", "--cap-drop", "SYS_PTRACE"],
    ...["--security-opt", `seccomp=${join(folder, "seccomp.json")}`],
    ...["--volume", "/usr:/usr:ro", "--volume", `${folder}:/program:ro`],
    ...["pth-base-debian12", "/program/dead", "deadlock"],
  ]);
  t.equal(code, 0, stderr);
  const container = stdout.trim();
  t.teardown(() => runCommand(["docker", "rm", "--force", container]));
  await new Promise((resolve) => setTimeout(resolve, 500));

  const access = inside(container);
  const sampler = await startSampler(access, 1);
  await sampler.sample();
  const sample = await sampler.sample();
  await sampler.close();
  // The kernel lets a process of the same user and capabilities read /proc, whatever the filter refuses.
  t.match(judgeSample(sample, { budgetMs: 30_000 }), {
    kind: "deadlock",
    certain: true,
    cycle: { length: 2 },
  });
  const { method, notes, threads } = await captureStacks(access, 1, { sample, mayEnd: true, signal });
  t.equal(method, "/proc");
  t.match(notes, [
    /gdb may not trace it: a seccomp filter refuses it, as in containers \(--cap-add SYS_PTRACE/,
  ]);
  t.match(
    threads.map(({ frames }) => frames[0]!.function).join(),
    /waits for a lock that dead \(\d+\) holds/,
  );
});
