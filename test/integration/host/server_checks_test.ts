/** The checks of a whole server in a run: how many instances they start, and that none of them is left. */
import { join } from "node:path";
import t from "tap";
import { mkdir, readTextFile, writeTextFile } from "../../../src/platform/files.ts";
import { signalProcess } from "../../../src/platform/process.ts";
import { makePlace, runPth, story } from "../../support/pth_run.ts";
import { smallServer } from "../../support/small_server.ts";

t.test("checks that only ask share an instance, also beside each other, and it ends with the run", async (t) => {
  const place = await makePlace(t);
  const [plugin, starts] = [join(place.folder, "plugin"), join(place.folder, "starts")];
  await mkdir(plugin);
  const server = smallServer({
    name: "counted",
    head: `import { appendFileSync } from "node:fs";\nappendFileSync(${
      JSON.stringify(starts)
    }, process.pid + "\\n");`,
    tools:
      '[{ name: "look", description: "d", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } }]',
    text: '"done"',
  });
  await writeTextFile(join(plugin, "server.mjs"), server);
  for (const [workers, most] of [[1, 4], [2, 5]] as const) {
    await writeTextFile(starts, "");
    const args = [plugin, "--env", "host", "--command", "node server.mjs", "--workers", String(workers)];
    const ran = await runPth(place, [...args, "--grep", "^server - ", "--allow-unexercised"]);
    t.equal(ran.code, 0, story(ran));
    t.equal(ran.report.summary.passed, 10);
    t.equal(ran.report.summary.skipped, 1, "one tool that takes nothing leaves no two calls to make at once");
    const pids = (await readTextFile(starts)).trim().split("\n").map(Number);
    // The plugin's own, one that checks share (for each worker), one to be ended and one to be exercised.
    t.ok(pids.length <= most, `${pids.length} instances for 11 checks, ${workers} at once`);
    t.same(pids.filter((pid) => signalProcess(pid, 0)), [], "none is left");
  }
});
