// test: timeout=180
// Commands by a container's agent: what they see, who can reach it, and what becomes of them when it goes away.
import t, { type Test } from "tap";
import type { EnvironmentHandle } from "../../../machines/model/environment.ts";
import docker from "../../../src/runtimes/docker.ts";
import { connectEngine } from "../../../src/runtimes/docker/engine.ts";
import { containerName } from "../../../src/runtimes/docker/container.ts";
import { execInside } from "../../../src/runtimes/docker/exec.ts";
import { eventually, processesWith, shell, unique } from "../../contracts/runtime/context.ts";
import { makeSpec, needsDocker } from "./docker_subject.ts";

const runtime = docker.create();

async function provisioned(t: Test) {
  const spec = makeSpec();
  const handle = await runtime.provision(spec);
  t.teardown(() => runtime.destroy(handle));
  return { runtime, spec, handle };
}

/** The other way: the engine's exec. */
async function byEngine(handle: EnvironmentHandle, script: string, env: Record<string, string> = {}) {
  const place = { engine: await connectEngine(), containerId: containerName(handle.environmentId) };
  return await execInside({ ...place, sourcePath: handle.sourcePath }, ["sh", "-c", script], { env });
}

/** Name and pid of what started a command. */
const starter = 'echo "$PPID $(cat /proc/$PPID/comm 2>/dev/null)"';

await t.test("commands of a container", needsDocker, async (t) => {
  const living = await provisioned(t);
  const { handle } = living;

  await t.test("run by its agent, and find all as by the engine's exec", async (t) => {
    t.match((await shell(living, starter)).stdout, /^\d+ pth-agent$/m);
    const look = `env | grep -v ^PTH_EXEC= | sort; pwd; id; umask; ulimit -a; cat /proc/self/oom_score_adj
      cut -d' ' -f18,19,41 /proc/self/stat; ls -l /proc/self/fd | sed 's/.* \\([0-9]* -> [a-z/]*\\).*/\\1/' | grep -v /proc
      grep -E '^(Uid|Gid|Groups|Sig[BIC]|Cap|NoNew|Seccomp|Cpus|Mems)' /proc/self/status; cat /proc/self/cgroup
      [ "$(cut -d' ' -f6 /proc/$$/stat)" = $$ ] && echo leads a session`;
    const env = { ONE: "a b", HOME: "/tmp", PWD: "/x" };
    const [agent, engine] = [
      await runtime.exec(handle, ["sh", "-c", look], { env }),
      await byEngine(handle, look, env),
    ];
    // The C library's own two signals, which no program can use.
    t.equal(agent.stdout.replace(/^(SigIgn:\s+0{7})18/m, "$100"), engine.stdout);
    t.equal(agent.stderr, engine.stderr);
    t.match(agent.stdout, /leads a session/);
  });

  await t.test("end with a signal as they do by the engine's exec", async (t) => {
    for (const script of ["kill -TERM $$", "kill -SEGV $$", "kill -RTMIN $$"]) {
      const [agent, engine] = [await shell(living, script), await byEngine(handle, script)];
      t.same([agent.code, agent.signal], [engine.code, engine.signal], script);
    }
  });

  await t.test("the agent is out of reach of whoever is root inside", async (t) => {
    const agent = (await shell(living, "echo $PPID")).stdout.trim();
    const look = `for name in mem environ fd/0 fd/1 maps; do
      (exec 3<>/proc/${agent}/$name) 2>/dev/null || head -c1 /proc/${agent}/$name >/dev/null 2>&1 && echo open $name
    done
    python3 -c 'import ctypes, os; libc = ctypes.CDLL(None, use_errno=True)
print(libc.ptrace(16, ${agent}, 0, 0), os.strerror(ctypes.get_errno()))'`;
    t.equal((await byEngine(handle, look)).stdout, "-1 Operation not permitted\n");
  });

  await t.test("the agent is none of the environment's processes", async (t) => {
    const listed = await shell(living, "ls -d /proc/[0-9]* | wc -l; sleep 0");
    const { processes } = await runtime.inspect(handle);
    t.ok(processes < Number(listed.stdout.trim()), `${processes}`);
    t.same((await byEngine(handle, "ls /proc/1/fd >/dev/null; pgrep -x python3; true")).stdout, "");
  });

  await t.test("go by the engine where the agent's limits were changed", async (t) => {
    const agent = (await shell(living, "echo $PPID")).stdout.trim();
    const change = `import resource; resource.prlimit(${agent}, resource.RLIMIT_FSIZE, (0, 1 << 40))`;
    t.equal((await byEngine(handle, `python3 -c '${change}'`)).code, 0);
    t.match((await shell(living, `${starter}; ulimit -f`)).stdout, /^0 \nunlimited\n$/);
  });
});

await t.test("a command whose agent is ended has no result, and leaves nothing", needsDocker, async (t) => {
  const living = await provisioned(t);
  const word = `7${unique()}`;
  const other = runtime.exec(living.handle, ["sleep", word]).catch((error) => error);
  const running = shell(living, `sleep ${word} & setsid sleep ${word} & kill -KILL $PPID; sleep ${word}`);
  await t.rejects(running, { code: "EXEC_FAILED", context: { transient: false } });
  t.equal((await other).code, "EXEC_FAILED");
  t.equal(await processesWith(living, word), 0);
  t.match((await shell(living, starter)).stdout, /^0 /, "further commands go by the engine");
  t.match(await runtime.healthCheck(living.handle), { healthy: true });
});

await t.test("a container that is removed meanwhile is told as lost", needsDocker, async (t) => {
  const { handle } = await provisioned(t);
  const engine = await connectEngine();
  const running = runtime.exec(handle, ["sh", "-c", "echo up; exec sleep 600"], {
    onOutput: () => void engine.getContainer(containerName(handle.environmentId)).remove({ force: true }),
  });
  await t.rejects(running, { code: "ENVIRONMENT_LOST" });
});

await t.test("a container that was rolled back has an agent of its own", needsDocker, async (t) => {
  const living = await provisioned(t);
  const before = await shell(living, starter);
  const snapshot = await runtime.snapshot(living.handle, "one");
  living.handle = await runtime.rollback(living.handle, snapshot);
  t.match(before.stdout, /pth-agent/);
  t.match((await shell(living, starter)).stdout, /pth-agent/);
  t.ok(await eventually(async () => (await runtime.healthCheck(living.handle)).healthy));
});
