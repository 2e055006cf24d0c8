/** What every `ProjectPlace` must do: `make` gives one on a folder that holds `a.txt` with "one". */
import { setTimeout as sleep } from "node:timers/promises";
import type { Test } from "tap";
import { collect } from "../../src/platform/process.ts";
import type { ProjectPlace } from "../../src/project_tests/project_place.ts";

/** Starts a process that has left its parent and its group, tells its pid, and goes on. */
const stray = "setsid sh -c 'echo $$ >$1/pid; exec sleep 300' sh \"$1\" & wait; exec sleep 300";

export async function projectPlaceContract(t: Test, make: (t: Test) => Promise<ProjectPlace>): Promise<void> {
  const place = await make(t);
  const run = async (script: string, ...words: string[]) =>
    (await place.exec(["sh", "-c", script, "sh", ...words])).stdout;

  t.same(await place.folder.list(), ["a.txt"]);
  t.equal(await place.folder.read("a.txt"), "one");
  t.equal(await place.folder.read("b'\n.txt"), undefined);
  t.equal(await place.folder.exists("a.txt"), true);
  t.equal(await place.folder.exists("a.txt/b"), false);
  t.equal((await run("pwd -P")).trim(), place.root);
  t.match(await place.exec(["sh", "-c", 'echo "$A"; exit 3'], { env: { A: "b c" } }), {
    code: 3,
    stdout: "b c\n",
  });
  await t.rejects(
    place.exec(["sleep", "300"], { signal: AbortSignal.timeout(200) }),
    { name: "TimeoutError" },
  );

  const scratch = await place.makeScratch();
  t.equal(await run('ls -A "$1"', scratch), "");
  const file = `${scratch}/below/events`;
  await place.write(file, "0é");

  const bytes: number[] = [];
  let heard: () => void = () => {};
  const live = new Promise<void>((resolve) => heard = resolve);
  const followed = await place.follow(file, 1, (chunk) => {
    bytes.push(...chunk);
    if (bytes.length >= 4) heard();
  });
  await run('printf "1\\377" >>"$1"', file);
  await live; // while the file still grows
  await run('printf 2 >>"$1"', file);
  await followed.finish();
  await followed.finish();
  t.same(bytes, [0xc3, 0xa9, 0x31, 0xff, 0x32], "every byte after the first, once");

  const child = await place.start(["sh", "-c", 'echo "$$ $B"; echo e >&2; cat; exit 4'], { env: { B: "b" } });
  const [out, err] = [collect(child.stdout), collect(child.stderr)];
  t.match(await child.exited, { code: 4 });
  t.equal(out.text(), `${child.pid} b\n`, "its pid is that of the place, and nothing is on its stdin");
  t.equal(err.text(), "e\n");

  const second = await place.start(["sh", "-c", stray, "sh", scratch]);
  second.stdout.resume();
  second.stderr.resume();
  let pid = "";
  while (pid === "") {
    pid = (await run('cat "$1/pid" 2>/dev/null', scratch)).trim();
    await sleep(10);
  }
  await place.endAll();
  await second.exited;
  const isThere = 'kill -0 "$1" 2>/dev/null && ! grep -q "^State:.Z" /proc/$1/status && echo yes; true';
  t.equal(await run(isThere, pid), "", "what has left its parent has ended, too");

  await place.close();
  t.equal(await run('ls "$1" 2>/dev/null; true', scratch), "", "what was made is gone");
}
