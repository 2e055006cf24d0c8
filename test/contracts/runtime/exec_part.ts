import { Buffer } from "node:buffer";
import { createHash, randomBytes } from "node:crypto";
import {
  eventually,
  type Part,
  processesWith,
  rejectsWith,
  shell,
  skipped,
  text,
  unique,
} from "./context.ts";

/** exec: results, streams, limits, abort. */
export const execPart: Part = async (t, living) => {
  const { runtime, handle } = living;

  await t.test("exec gives output, exit code and duration", async (t) => {
    const result = await shell(living, "echo out; echo err >&2; exit 3");
    t.equal(result.stdout, "out\n");
    t.equal(result.stderr, "err\n");
    t.equal(result.code, 3);
    t.equal(result.truncated, false);
    t.ok(result.durationMs > 0);
  });

  await t.test("exec passes arguments unchanged", async (t) => {
    const odd = ["a b", "", "$HOME", "it's", 'say "x"', "*", "new\nline", "-n", "é✓"];
    const result = await runtime.exec(handle, ["printf", "[%s]", ...odd]);
    t.equal(result.stdout, odd.map((word) => `[${word}]`).join(""));
  });

  await t.test("exec starts in the source folder, or in the folder asked for", async (t) => {
    t.equal(await text(t, living, "pwd"), handle.sourcePath);
    t.equal((await runtime.exec(handle, ["pwd"], { cwd: "/usr" })).stdout, "/usr\n");
  });

  await t.test("a folder that is not there is told by name", async (t) => {
    const result = await runtime.exec(handle, ["true"], { cwd: "/no/such folder" }).catch((error) => error);
    t.match(`${result.message ?? ""}${result.stderr ?? ""}`, /no\/such folder/);
    t.not(result.code, 0);
  });

  await t.test("variables of the spec and of the call reach the command", async (t) => {
    const script = 'printf %s "$PTH_CONTRACT|$ONE|$HOME"';
    const result = await runtime.exec(handle, ["sh", "-c", script], { env: { ONE: "a b=c'" } });
    const [spec, one, home] = result.stdout.split("|");
    t.equal(spec, living.spec.env.PTH_CONTRACT ?? "");
    t.equal(one, "a b=c'");
    t.match(home, /^\//);
  });

  await t.test("HOME is a writable folder", async (t) => {
    t.equal(await text(t, living, 'echo hi >"$HOME/x" && cat "$HOME/x" && rm "$HOME/x"'), "hi");
  });

  await t.test("a program that is not there ends with 127 and is named", async (t) => {
    const result = await runtime.exec(handle, ["no-such-program-here", "x"]);
    t.ok(result.code === 127 || result.code === 126, `code ${result.code}`);
    t.match(result.stderr + result.stdout, /no-such-program-here/);
  });

  await t.test("an empty command is refused", (t) => rejectsWith(t, runtime.exec(handle, []), "EXEC_FAILED"));

  await t.test("a signal's end is told", async (t) => {
    const result = await shell(living, "kill -KILL $$");
    t.ok(result.signal === "SIGKILL" || result.code === 137, JSON.stringify(result));
  });

  await t.test("stdin arrives byte by byte", async (t) => {
    const bytes = randomBytes(1024 * 1024);
    const result = await runtime.exec(handle, ["sha256sum"], { stdin: bytes });
    t.equal(result.stdout.slice(0, 64), createHash("sha256").update(bytes).digest("hex"));
  });

  await t.test("without stdin a reader sees the end at once", async (t) => {
    t.equal((await runtime.exec(handle, ["cat"])).stdout, "");
  });

  await t.test("a command that does not read its stdin does no harm", async (t) => {
    const result = await runtime.exec(handle, ["true"], { stdin: Buffer.alloc(1024 * 1024) });
    t.equal(result.code, 0);
  });

  const { outputMB = 20 } = living;
  await t.test(`${outputMB} MB of output come whole`, async (t) => {
    const size = outputMB * 1024 * 1024;
    const command = ["sh", "-c", `head -c ${size} /dev/zero | tr '\\0' x`];
    const whole = await runtime.exec(handle, command, { maxBytes: size + 1 });
    t.equal(whole.stdout.length, size);
    t.equal(whole.truncated, false);
    const last = await runtime.exec(handle, [...command.slice(0, 2), `${command[2]}; echo end`], {
      maxBytes: 1000,
    });
    t.equal(last.stdout.length, 1000);
    t.match(last.stdout, /end\n$/);
    t.equal(last.truncated, true);
  });

  await t.test("output is told while the command runs", async (t) => {
    const seen: string[] = [];
    await runtime.exec(handle, ["sh", "-c", "echo one; echo two >&2"], {
      onOutput: (piece, stream) => seen.push(`${stream}:${piece}`),
    });
    t.same(seen.sort(), ["stderr:two\n", "stdout:one\n"]);
  });

  await t.test("concurrent commands do not mix", async (t) => {
    const numbers = Array.from({ length: 12 }, (_, index) => index);
    const results = await Promise.all(numbers.map((n) => shell(living, `echo ${n}; sleep 0.1; echo ${n}`)));
    t.same(results.map((result) => result.stdout), numbers.map((n) => `${n}\n${n}\n`));
  });

  await t.test("an abort ends the command with all it started and rejects with the reason", async (t) => {
    const word = `9${unique()}`;
    const controller = new AbortController();
    const reason = new Error("enough");
    const running = runtime.exec(handle, ["sh", "-c", `sleep ${word} & echo up; sleep ${word}`], {
      signal: controller.signal,
      onOutput: () => controller.abort(reason),
    });
    t.equal(await running.catch((error) => error), reason);
    t.ok(await eventually(async () => (await processesWith(living, word)) === 0), "nothing is left");
  });

  await t.test("an abort reaches children that made a session of their own", async (t) => {
    if ((await shell(living, "command -v setsid")).code !== 0) return skipped(t, "no setsid inside");
    const word = `9${unique()}`;
    const controller = new AbortController();
    const running = runtime.exec(
      handle,
      ["sh", "-c", `setsid sleep ${word} & sleep 0.2; echo up; sleep 600`],
      {
        signal: controller.signal,
        onOutput: () => controller.abort(),
      },
    );
    await t.rejects(running);
    t.ok(await eventually(async () => (await processesWith(living, word)) === 0), "nothing is left");
  });

  await t.test("a signal that is aborted already starts nothing", async (t) => {
    const reason = new Error("too late");
    const running = runtime.exec(handle, ["true"], { signal: AbortSignal.abort(reason) });
    t.equal(await running.catch((error) => error), reason);
  });
};
