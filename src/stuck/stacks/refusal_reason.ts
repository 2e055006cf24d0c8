import type { SamplerAccess } from "../sampler_access.ts";

const script = `cat /proc/sys/kernel/yama/ptrace_scope 2>/dev/null || echo none
sed -n 's/^Uid:[^0-9]*[0-9]*[^0-9]*\\([0-9]*\\).*/\\1/p' "/proc/$1/status"
id -u
sed -n 's/^Seccomp:[^0-9]*//p' /proc/self/status
sed -n 's/^CapEff:[^0-9a-f]*//p' /proc/self/status`;
const tracesAll = 1n << 19n;

const yama: Readonly<Record<string, string>> = {
  "1": "kernel.yama.ptrace_scope is 1, and a process may be traced by its own parents alone " +
    "(sysctl kernel.yama.ptrace_scope=0 allows it)",
  "2": "kernel.yama.ptrace_scope is 2, and only programs with CAP_SYS_PTRACE may trace",
  "3": "kernel.yama.ptrace_scope is 3, and no process may be traced until the machine starts again",
};

/** Finds out why a process may not be traced, as a clause. */
export async function refusalReason(
  access: SamplerAccess,
  pid: number,
  signal: AbortSignal,
): Promise<string> {
  const { stdout } = await access.exec(["sh", "-c", script, "sh", String(pid)], { signal, maxBytes: 1000 });
  const [scope = "none", user = "", own = "", seccomp = "0", capabilities = "0"] = stdout.split("\n");
  const hasCapability = /^[0-9a-f]+$/.test(capabilities) &&
    (BigInt(`0x${capabilities}`) & tracesAll) !== 0n;
  if (user !== own && !hasCapability) return `it runs as user ${user}, and PTH there as user ${own}`;
  if (scope === "3" || (!hasCapability && yama[scope] !== undefined)) return yama[scope]!;
  if (seccomp.trim() === "2") {
    return "a seccomp filter refuses it, as in containers (--cap-add SYS_PTRACE allows it there)";
  }
  return hasCapability
    ? "the kernel refuses it"
    : "it has capabilities that PTH lacks there, or keeps others from looking into it (CAP_SYS_PTRACE allows it)";
}
