/** A project's own tests in an environment, through the command line: in a copy, watched, and with its secrets kept. */
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import t, { type Test } from "tap";
import { openCliTurns } from "../../support/cli_turns.ts";
import { makePlace } from "../../support/pth_run.ts";
import { readiness } from "../../support/readiness.ts";

t.setTimeout(300_000); // a busy machine takes its time

const missing = await readiness();
const turns = openCliTurns();
t.teardown(() => turns.close());
const pth = (args: readonly string[], env: Record<string, string>) => turns.run(["test", ...args], { env });

const tests = `import os, threading
import unittest
a, b = threading.Lock(), threading.Lock()

class Orders(unittest.TestCase):
    def test_a_secret(self):
        open("written.txt", "w").close()
        self.fail("token is " + os.environ["API_TOKEN"])

    def test_locks(self):
        ready = threading.Barrier(2)
        def take(first, second):
            with first:
                ready.wait()
                with second: pass
        other = threading.Thread(target=take, args=(a, b))
        other.start()
        take(b, a)
`;

async function project(t: Test) {
  const { folder, env } = await makePlace(t);
  const root = join(folder, "project");
  await mkdir(root);
  await writeFile(join(root, "test_orders.py"), tests);
  return { root, env: { ...env, TMPDIR: folder }, record: join(folder, "record.jsonl") };
}

t.test("tests run in a copy, a deadlock there is proven with its stacks, and no secret comes out", {
  skip: missing.sandbox,
}, async (t) => {
  const { root, env, record } = await project(t);
  const secret = "s3cr3t-0f-the-shop";
  const { code, stdout, stderr } = await pth(
    [root, "--env", "sandbox", "--json", "--var", `API_TOKEN=${secret}`, "--record", record],
    env,
  );
  t.equal(code, 1, stderr);
  const answer = JSON.parse(stdout);
  t.match(answer, {
    framework: "unittest",
    summary: { passed: 0, failed: 1, stuck: 1 },
    failures: [{ name: /test_a_secret/, file: "test_orders.py", line: 8, message: /token is \[REDACTED\]/ }],
    stuck: [{ name: /test_locks/, diagnosis: /^Deadlock: / }],
  });
  const frames = answer.stuck[0].threads.map(({ stack }: { stack: string[] }) => stack.join("\n"));
  t.equal(frames.filter((stack: string) => /take \(test_orders\.py:15\)/.test(stack)).length, 2);
  t.same(await readdir(root), ["test_orders.py"], "nothing came back");
  const details = await readFile(answer.details, "utf8");
  t.match(JSON.parse(details), { place: /^sandbox, image/ });
  for (const text of [stdout, stderr, details, await readFile(record, "utf8")]) {
    t.notOk(text.includes(secret));
  }
});

t.test("what the project needs is installed and built in the copy, and not in the project", async (t) => {
  const { root, env } = await project(t);
  const scripts = {
    postinstall: "echo >installed.txt",
    build: "cp installed.txt built.txt",
    test: "node --test",
  };
  await writeFile(join(root, "package.json"), JSON.stringify({ name: "shop", version: "1.0.0", scripts }));
  const named = "is built";
  await writeFile(
    join(root, "built.test.mjs"),
    `import { test } from "node:test";\nimport { readFileSync } from "node:fs";\n` +
      `test("${named}", () => void readFileSync("built.txt"));\n`,
  );
  const { code, stdout, stderr } = await pth([root, "--env", "host", "--json", "--test", named], env);
  t.equal(code, 0, stderr);
  t.match(JSON.parse(stdout), { framework: "node:test", summary: { passed: 1, failed: 0 } });
  t.same((await readdir(root)).sort(), ["built.test.mjs", "package.json", "test_orders.py"]);
});

t.test("an image without what the framework needs is named", { skip: missing.docker }, async (t) => {
  const { root, env } = await project(t);
  const args = [root, "--framework", "cargo", "--env", "docker", "--image", "debian12"];
  const { code, stderr } = await pth(args, env);
  t.equal(code, 3);
  t.match(stderr, /cargo needs cargo, which is not there \(docker, image debian12\)/);
  t.match(stderr, /Name an image that has cargo: --image <image>/);
});
