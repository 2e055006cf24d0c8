import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { homedir, hostname, tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import type { Test } from "tap";
import { runCommand } from "../../../src/platform/process.ts";
import {
  eventually,
  type Living,
  type Part,
  rejectsWith,
  shell,
  skipped,
  type Subject,
  text,
} from "./context.ts";

/** What an isolated environment must not see of the host. */
export const isolationPart: Part = async (t, living) => {
  if (!living.runtime.abilities.isolated) {
    await t.test("host data is masked", (t) => {
      skipped(t, "this runtime isolates nothing, and says so");
      t.end();
    });
    return;
  }
  await t.test("host files are masked", async (t) => {
    const secret = await mkdtemp(join(tmpdir(), "pth-secret-"));
    const inHome = join(homedir(), `.pth-contract-${process.pid}`);
    t.teardown(() => Promise.all([rm(secret, { recursive: true }), rm(inHome)]));
    await writeFile(join(secret, "marker"), "secret");
    await writeFile(inHome, "secret");
    for (const path of [join(secret, "marker"), inHome, `/proc/${process.pid}/root${inHome}`]) {
      t.not((await shell(living, `cat '${path}'`)).code, 0, path);
    }
  });

  await t.test("engine and agent sockets, keys and passwords are masked", async (t) => {
    const sockets = "find / -xdev -type s \\( -name '*docker*' -o -name '*containerd*' -o -name '*podman*' " +
      "-o -name '*ssh*' -o -name '*gpg*' -o -name 'system_bus*' \\) 2>/dev/null";
    t.equal((await shell(living, sockets)).stdout, "");
    const keys = "cat /etc/ssh/*_key /root/.npmrc /root/.ssh/* 2>/dev/null";
    const seen = (await shell(living, keys)).stdout;
    if (!living.runtime.abilities.kernel) t.equal(seen, "");
    else { // a machine has an sshd and keys of its own: none of them is the host's
      const { stdout } = await runCommand(["sh", "-c", keys]);
      t.same(secretsIn(stdout).filter((secret) => seen.includes(secret)), []);
    }
    const hashes = await shell(living, "cut -d: -f2 /etc/shadow 2>/dev/null | grep '^\\$' ");
    t.equal(hashes.stdout, "");
  });

  await t.test("hostname, processes and variables are its own", async (t) => {
    process.env.PTH_CONTRACT_SECRET = "s3cret";
    t.teardown(() => delete process.env.PTH_CONTRACT_SECRET);
    t.not(await text(t, living, "uname -n"), hostname());
    t.notMatch(await text(t, living, "env"), /s3cret/);
    const mine = (await readFile(`/proc/${process.pid}/cmdline`, "utf8")).replaceAll("\0", " ").trim();
    const theirs = await text(t, living, "cat /proc/[0-9]*/cmdline | tr '\\0' ' '");
    t.notOk(theirs.includes(mine));
  });
};

/** Keys as a whole, since all of a kind begin alike, and long lines that are in none. */
function secretsIn(text: string): string[] {
  const key = /-----BEGIN [^]*?-----END .*/g;
  const lines = text.replaceAll(key, "").split("\n").filter((line) => line.length > 40);
  return [...text.match(key) ?? [], ...lines];
}

/** destroy, and an environment that is gone. The living environment has ended afterwards. */
export const endPart: Part = async (t, living) => {
  const { runtime, handle } = living;

  await t.test("destroy ends what runs inside, and again is no error", async (t) => {
    const child = await runtime.spawn(handle, ["sleep", "1000"]);
    await runtime.destroy(handle);
    await child.exited;
    await runtime.destroy(handle);
    t.equal((await runtime.inspect(handle)).status, "gone");
    await rejectsWith(t, runtime.exec(handle, ["true"]), "ENVIRONMENT_LOST");
    await rejectsWith(t, runtime.spawn(handle, ["true"]), "ENVIRONMENT_LOST");
  });
  await nothingLeft(t, living);
};

/** provision: environment without source, abort, and what it leaves. */
export async function provisionPart(t: Test, make: () => Subject): Promise<void> {
  await t.test("an abort of provision rejects with the reason and leaves nothing", async (t) => {
    const subject = make();
    const reason = new Error("changed my mind");
    const early = subject.runtime.provision(subject.spec, AbortSignal.abort(reason));
    t.equal(await early.catch((error) => error), reason);
    const controller = new AbortController();
    setTimeout(() => controller.abort(reason), 2);
    const late = await subject.runtime.provision(subject.spec, controller.signal).catch((error) => error);
    if (late === reason) t.pass("aborted half-way");
    else {
      t.equal(late.runtime, subject.runtime.name, "was quicker than the abort");
      await subject.runtime.destroy(late);
    }
    await nothingLeft(t, subject);
  });

  const [one, two] = [make(), make()] as const;
  const handles = await Promise.all([one, two].map((s) => s.runtime.provision(s.spec)));
  t.teardown(() => Promise.all(handles.map((handle) => one.runtime.destroy(handle))));
  const [first, second] = [{ ...one, handle: handles[0]! }, { ...two, handle: handles[1]! }];

  await t.test("an environment without a source has a folder of its own", async (t) => {
    t.equal(await text(t, first, "ls -A && echo x >y && cat y"), "x");
  });

  await t.test("two environments live side by side and apart", async (t) => {
    await text(t, first, 'echo one >"$HOME/who"');
    t.not((await shell(second, 'cat "$HOME/who"')).code, 0);
    await one.runtime.destroy(first.handle);
    t.equal((await shell(second, "echo alive")).stdout, "alive\n");
    await two.runtime.destroy(second.handle);
  });

  await t.test("an image that is not there is named", async (t) => {
    const subject = make();
    if (!subject.runtime.abilities.isolated) return skipped(t, "this runtime has no images");
    await rejectsWith(
      t,
      subject.runtime.provision({ ...subject.spec, image: "no-such-image" }),
      "IMAGE_MISSING",
    );
    await nothingLeft(t, subject);
  });
}

async function nothingLeft(t: Test, { leftovers, spec }: Subject | Living): Promise<void> {
  if (leftovers === undefined) return t.comment("no leftovers() given: not checked");
  const mine = async () => (await leftovers()).filter((left) => left.sessionId === spec.sessionId);
  t.ok(await eventually(async () => (await mine()).length === 0), "nothing is left behind");
}
