// test: timeout=240
/** A package that a bundle leaves out: npm installs it when it is first needed. */
import { chown } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { chmod, mkdir, pathExists, readDir, removeIfExists } from "../../../src/platform/files.ts";
import { uid } from "../../../src/platform/host.ts";
import { runCommand } from "../../../src/platform/process.ts";
import { makeBundle } from "./make_bundle.ts";

t.setTimeout(230_000);

const { folder, out, pth, command } = await makeBundle();
t.teardown(() => removeIfExists(folder));
const rare = join(out, "rare");
const draw = (into: string, env: Record<string, string> = {}) =>
  pth(["viz", "--export", into, "--format", "png", "--machine", "session"], { env });

t.test("without a registry the error says so and what to do, and nothing is left", async (t) => {
  const cut = { npm_config_registry: "http://127.0.0.1:1", npm_config_cache: join(folder, "cache") };
  const drawn = await draw("none", cut);
  t.equal(drawn.code, 3, drawn.stderr);
  t.match(drawn.stderr, /Cannot install @resvg\/resvg-js: npm ended with 1/);
  t.match(drawn.stderr, /ECONNREFUSED[^]*npm ping/);
  t.same(await names(rare), []);
});

const someoneElse = { skip: uid() !== 0 && "only root can be somebody else" };
t.test("where the bundle belongs to someone else, it goes into the user's folder", someoneElse, async (t) => {
  const theirs = join(folder, "theirs");
  await mkdir(theirs);
  await chown(theirs, 65534, 65534);
  await chmod(folder, 0o755);
  const as = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
  const drawing = command("cli", "viz", "--export", "charts", "--format", "png", "--machine", "session");
  const drawn = await runCommand([...as, ...drawing], {
    cwd: theirs,
    env: { HOME: theirs, PTH_HOME: join(theirs, ".pth"), npm_config_cache: join(theirs, "cache") },
  });
  t.equal(drawn.code, 0, drawn.stderr);
  t.ok(await pathExists(join(theirs, "charts/session.png")));
  t.match(await names(join(theirs, ".pth/rare")), [/^@resvg\+resvg-js@\d/]);
  t.same(await names(rare), []);
});

t.test("the next use mends it; of two at once both draw, and one installation is kept", async (t) => {
  // npm is found beside Node where PATH names neither; another disk's folder for temporary files is of no use.
  const nowhere = join(folder, "nowhere");
  const both = await Promise.all([draw("one"), draw("other", { PATH: nowhere, TMPDIR: nowhere })]);
  for (const { code, stderr } of both) t.equal(code, 0, stderr);
  t.match(both[0].stderr, /Installing @resvg\/resvg-js, which draws pictures/);
  t.ok(await pathExists(join(folder, "one/session.png")));
  t.ok(await pathExists(join(folder, "other/session.png")));
  t.same(await names(rare), ["@resvg+resvg-js"]);

  const again = await draw("again");
  t.equal(again.code, 0, again.stderr);
  t.notMatch(again.stderr, "Installing");
});

async function names(folder: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { name } of readDir(folder)) found.push(name);
  return found;
}
