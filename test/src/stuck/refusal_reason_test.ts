import t from "tap";
import type { SamplerAccess } from "../../../src/stuck/sampler_access.ts";
import { refusalReason } from "../../../src/stuck/stacks/refusal_reason.ts";

/** What a machine tells: Yama's scope, the process's user, PTH's own, seccomp and capabilities. */
const why = (...facts: string[]) =>
  refusalReason(
    { exec: () => Promise.resolve({ stdout: `${facts.join("\n")}\n` }) } as unknown as SamplerAccess,
    7,
    new AbortController().signal,
  );
const all = "000001ffffffffff";
const none = "0000000000000000";

t.test("each scope of Yama that refuses is named, with what allows it", async (t) => {
  t.match(
    await why("1", "1000", "1000", "0", none),
    /ptrace_scope is 1, .* own parents alone \(sysctl .*=0 allows it\)/,
  );
  t.match(
    await why("2", "1000", "1000", "0", none),
    /ptrace_scope is 2, and only programs with CAP_SYS_PTRACE/,
  );
  t.match(await why("3", "0", "0", "0", all), /ptrace_scope is 3, and no process may be traced/);
});

t.test("a scope that does not hold for PTH is not blamed", async (t) => {
  t.match(await why("1", "0", "0", "2", all), /^a seccomp filter refuses it, as in containers/);
  t.match(await why("0", "1000", "1000", "2", none), /^a seccomp filter/);
  t.match(await why("none", "1000", "1000", "0", none), /capabilities that PTH lacks/);
});

t.test("a process of another user is told by both users", async (t) => {
  t.match(await why("1", "0", "65534", "0", none), /^it runs as user 0, and PTH there as user 65534$/);
});

t.test("an answer that is none names no cause that was not found", async (t) => {
  t.equal(typeof await why(""), "string");
});
