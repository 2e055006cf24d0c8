// test: timeout=300
/** After a rollback everything that spoke to the plugin does so again: an HTTP server's ports, its pool, its coverage. */
import t from "tap";
import { makeRepository } from "../../src/session/helpers.ts";
import { copyFixture } from "../../support/fixture_plugin.ts";
import { readiness } from "../../support/readiness.ts";
import { openSessionClient } from "../../support/session_client.ts";

t.setTimeout(280_000);
const { folder, call, succeed } = await openSessionClient(t);
const tests = `
- { name: sums, tool: sum, input: { a: 1, b: 2 }, expect: { output_contains: "3" } }
- { name: sums more, tool: sum, input: { a: 2, b: 2 }, expect: { output_contains: "4" } }
- { name: echoes, tool: echo, input: { message: hi }, expect: { output_equals: hi } }
- { name: echoes more, tool: echo, input: { message: ho }, expect: { output_equals: ho } }
`;

t.test(
  "an HTTP server with a pool is measured and reached again",
  { skip: (await readiness()).sandbox },
  async (t) => {
    const pluginPath = await copyFixture("http_server", folder, "archives");
    await makeRepository(pluginPath, { ".pth/tests/all.yaml": tests });
    const command = ["node", "server.mjs", "{port}"];
    await succeed(t, "pth_start_session", { pluginPath, command, url: "http://127.0.0.1:{port}/mcp" });
    await succeed(t, "pth_provision_environment", { runtime: "sandbox" });
    await succeed(t, "pth_load_plugin");
    const suite = (more: object) => succeed(t, "pth_run_test_suite", { grep: "sums|echoes", ...more });
    t.match((await suite({ workers: 2 })).text, /4 tests: 4 passed/);
    t.match((await suite({ coverage: true })).text, /4 tests: 4 passed/);
    const covered = /^lines \d+ of 37 /;
    t.match((await succeed(t, "pth_get_coverage_report")).text, covered);
    const { data } = await succeed(t, "pth_snapshot_environment", { tag: "loaded" });
    await call("pth_exec_in_environment", {
      command: ["sh", "-c", "rm -rf /etc/ssl /etc/hosts; touch /etc/broken"],
    });

    for (const round of ["the first time", "once more"]) {
      const back = await succeed(t, "pth_rollback_environment", { snapshot: data.snapshot });
      t.match(back.text, /The plugin was loaded again/, round);
      t.match(
        (await succeed(t, "pth_call_plugin_tool", { tool: "echo", input: { message: "back" } })).text,
        /back/,
      );
      t.match((await suite({ workers: 2 })).text, /4 tests: 4 passed/);
    }
    t.match((await suite({ coverage: true })).text, /4 tests: 4 passed/);
    t.match((await succeed(t, "pth_get_coverage_report")).text, covered);
    t.match((await succeed(t, "pth_get_plugin_status")).data, { state: "ready" });
    t.match(
      (await succeed(t, "pth_check_environment_drift")).text,
      /^No drift/,
      "pool ports are none of the tests' doing",
    );
    await succeed(t, "pth_end_session");
  },
);
