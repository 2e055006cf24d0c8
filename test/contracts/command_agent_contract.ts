/**
 * What a command agent must do in every environment that has one: run commands just as the other way does, stay out of a
 * plugin's reach, and end without a wrong result.
 */
import type { Test } from "tap";
import type { ExecOptions } from "../../src/runtimes/runtime.ts";
import type { ExecResult } from "../../machines/model/environment_operations.ts";
import { type Living, processesWith, shell, unique } from "./runtime/context.ts";

/** Runs a script by the way that takes no agent. */
export type OtherWay = (living: Living, script: string, options?: ExecOptions) => Promise<ExecResult>;

/** Pid and name of what started a command. */
export const starter = 'echo "$PPID $(cat /proc/$PPID/comm 2>/dev/null)"';

/** Ends what started a command, without the word by which such commands go the other way. */
const endStarter = `python3 -c 'import os; getattr(os, "ki" "ll")(int(os.environ["OF"]), 9)'`;

/** All that a command finds: variables, folder, user, limits, files, signals, rights, groups. */
const look = `env | grep -v ^PTH_EXEC= | sort; pwd; id; umask; ulimit -a; cat /proc/self/oom_score_adj
  cut -d' ' -f18,19,41 /proc/self/stat; ls /proc/self/fd | wc -l
  readlink /proc/self/fd/0 /proc/self/fd/1 /proc/self/fd/2 | sed 's/:.*//'
  grep -E '^(Uid|Gid|Groups|Sig[BIC]|Cap|NoNew|Seccomp|Cpus|Mems)' /proc/self/status; cat /proc/self/cgroup
  [ "$(cut -d' ' -f6 /proc/$$/stat)" = $$ ] && echo leads a session`;

/** @param make Gives an environment of its own, in which nothing has run yet, and that the test tears down. */
export async function commandAgentContract(t: Test, make: (t: Test) => Promise<Living>, other: OtherWay) {
  await t.test("commands by an agent", async (t) => {
    const living = await make(t);
    const agentPid = (await shell(living, "echo $PPID")).stdout.trim();

    await t.test("find all as by the other way", async (t) => {
      t.match((await shell(living, starter)).stdout, /^\d+ pth-agent$/m);
      const env = {
        ONE: "a b",
        HOME: "/tmp",
        PWD: "/x",
        PATH: "/usr/bin:/bin",
        "BASH_FUNC_id%%": "() { :; }",
      };
      const result = await living.runtime.exec(living.handle, ["sh", "-c", look], { env });
      const wanted = await other(living, look, { env });
      // The C library's own two signals, which no program can use.
      t.equal(result.stdout.replace(/^(SigIgn:\s+0{7})18/m, "$100"), wanted.stdout);
      t.equal(result.stderr, wanted.stderr);
      t.match(result.stdout, /leads a session/);
    });

    await t.test("end as by the other way", async (t) => {
      const ends = (signal: string) =>
        `exec python3 -c 'import os, signal; os.kill(os.getpid(), signal.${signal})'`;
      const scripts = [ends("SIGTERM"), ends("SIGSEGV"), "exit 255", "exec no-such-program"];
      for (const script of scripts) {
        const [result, wanted] = [await shell(living, script), await other(living, script)];
        for (const key of ["code", "signal", "stderr"] as const) {
          t.equal(result[key], wanted[key], `${script}: ${key}`);
        }
      }
      for (const command of [["no-such-program"], ["/etc/passwd"], ["/"], [""]]) {
        const script = await living.runtime.exec(living.handle, command).catch((error) => error);
        t.not(script.code, 0, JSON.stringify(command));
      }
    });

    await t.test("leave the agent out of reach of whoever is root inside", async (t) => {
      const reach = `for name in mem environ fd/0 fd/1 maps; do
        (exec 3<>/proc/${agentPid}/$name) 2>/dev/null || head -c1 /proc/${agentPid}/$name >/dev/null 2>&1 && echo open $name
      done
      python3 -c 'import ctypes, os; libc = ctypes.CDLL(None, use_errno=True)
print(libc.ptrace(16, ${agentPid}, 0, 0), os.strerror(ctypes.get_errno()))'`;
      t.equal((await shell(living, reach)).stdout, "-1 Operation not permitted\n");
    });

    await t.test("go the other way where what they inherit was changed", async (t) => {
      const change = `import resource; resource.prlimit(${agentPid}, resource.RLIMIT_FSIZE, (0, -1))`;
      t.equal((await other(living, `python3 -c '${change}'`)).code, 0);
      t.match((await shell(living, `${starter}; ulimit -f`)).stdout, /^0 \nunlimited\n$/);
    });
  });

  await t.test("an abort finds children that have neither the group nor the mark any more", async (t) => {
    const living = await make(t);
    const word = `6${unique()}`;
    const stop = new AbortController();
    const script = `env -i setsid sh -c 'echo up; sleep ${word}; true' & wait`;
    const running = living.runtime.exec(living.handle, ["sh", "-c", script], {
      signal: stop.signal,
      onOutput: () => stop.abort(),
    });
    await t.rejects(running);
    t.equal(await processesWith(living, word), 0);
  });

  await t.test("a command whose agent is ended has no result, and leaves nothing", async (t) => {
    const living = await make(t);
    const word = `7${unique()}`;
    const beside = living.runtime.exec(living.handle, ["sleep", word]).catch((error) => error);
    const running = shell(
      living,
      `sleep ${word} & setsid sleep ${word} & OF=$PPID ${endStarter}; sleep ${word}`,
    );
    await t.rejects(running, { code: "EXEC_FAILED", context: { transient: false } });
    t.equal((await beside).code, "EXEC_FAILED");
    t.equal(await processesWith(living, word), 0);
    t.match((await shell(living, starter)).stdout, /^0 /, "further commands go the other way");
    t.equal((await living.runtime.healthCheck(living.handle)).healthy, true);
  });

  await t.test("an environment that was rolled back has an agent of its own", async (t) => {
    const living = await make(t);
    t.match((await shell(living, starter)).stdout, /pth-agent/);
    const snapshot = await living.runtime.snapshot(living.handle, "one");
    living.handle = await living.runtime.rollback(living.handle, snapshot);
    t.match((await shell(living, starter)).stdout, /pth-agent/);
    const { processes } = await living.runtime.inspect(living.handle);
    const listed = Number((await shell(living, "ls -d /proc/[0-9]* | wc -l")).stdout);
    t.ok(processes < listed, `the agent is none of the environment's ${processes} processes`);
  });
}
