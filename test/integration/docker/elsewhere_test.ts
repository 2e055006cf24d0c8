// test: timeout=240
/** An engine that does not see PTH's files, as on another machine: PTH works in a mount namespace of its own. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import t from "tap";
import { isDeno } from "../../../src/platform/host.ts";
import { runCommand } from "../../../src/platform/process.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";
import { needsDocker } from "./docker_subject.ts";

const cli = fileURLToPath(new URL("../../../src/cli.ts", import.meta.url));
const plugin = fileURLToPath(new URL("../../fixtures/perf_server", import.meta.url));
const script = 'mount -t tmpfs hidden "$1" && mkdir "$1/home" "$1/worktrees" && shift && exec "$@"';

t.setTimeout(240_000);
const mayMount = (await runCommand(["unshare", "--mount", "true"]).catch(() => ({ code: 1 }))).code === 0;
const skip = mayMount ? {} : { skip: "this user may not make a mount namespace" };

t.test("an engine that sees no file of the host tests a plugin", { ...needsDocker, ...skip }, async (t) => {
  const hidden = join(await temporaryFolder(t), "hidden");
  await mkdir(hidden);
  const pth = [process.execPath, ...(isDeno ? ["run", "-A"] : []), cli, "run", plugin, "--env", "docker"];
  const { code, stdout, stderr } = await runCommand(
    ["unshare", "--mount", "sh", "-c", script, "sh", hidden, ...pth],
    {
      env: { PTH_HOME: join(hidden, "home"), PTH_WORKTREE_DIR: join(hidden, "worktrees") },
    },
  );
  t.equal(code, 0, stderr);
  t.match(stdout, /docker/);
  t.match(stdout, /[1-9]\d* passed, 0 failed/);
});
