// test: timeout=300
/** A contract kept in the sample plugin: what breaks clients is told at reload, what does not is not. */
import t, { type Test } from "tap";
import type { SurfaceChange } from "../../../machines/model/contract.ts";
import { readTextFile } from "../../../src/platform/files.ts";
import { userGit } from "../../src/session/helpers.ts";
import { copyFixture } from "../../support/fixture_plugin.ts";
import { openSessionClient } from "../../support/session_client.ts";

t.setTimeout(280_000);

const { call, succeed, folder } = await openSessionClient(t);

const change = (title: string, find: string, replace: string) => ({
  title,
  edits: [{ path: "src/state_tools.ts", find, replace }],
  reload: true,
});

const breaking = (changes: unknown) =>
  (changes as SurfaceChange[]).filter(({ impact }) => impact === "breaking");

async function begin(t: Test): Promise<boolean> {
  const pluginPath = await copyFixture("sample_plugin", folder, "archives");
  userGit(pluginPath, "init", "-q");
  userGit(pluginPath, "add", "-A");
  userGit(pluginPath, "commit", "-q", "-m", "first");
  await succeed(t, "pth_start_session", { pluginPath });
  const provisioned = await call("pth_provision_environment", { runtime: "sandbox" });
  if (/\[RUNTIME_UNAVAILABLE\]/.test(provisioned.text)) {
    t.pass("no sandbox here", { skip: provisioned.text });
    return false;
  }
  await succeed(t, "pth_load_plugin");
  return true;
}

t.test("the sample plugin", async (t) => {
  if (!await begin(t)) return;

  await t.test("without a contract there is nothing to compare with, and one that is named must be there", async (t) => {
    const first = await succeed(t, "pth_check_contract");
    t.match(first.text, /No contract is stored .* 10 tools/);
    const missing = await call("pth_check_contract", { baseline: "other.json" });
    t.match(missing.text, /there is no such file in the plugin\s+\[INVALID_INPUT\]/);
    for (const baseline of ["../c.json", "/etc/passwd", "a/../../c.json"]) {
      t.match(
        (await call("pth_check_contract", { baseline, save: true })).text,
        /\[INVALID_INPUT\]/,
        baseline,
      );
    }
  });

  await t.test("it is kept on the session branch", async (t) => {
    const { data } = await succeed(t, "pth_check_contract", { save: true });
    t.match(data.saved, { path: ".pth/contract.json", commit: /^[0-9a-f]{40}$/ });
    const again = await succeed(t, "pth_check_contract", {});
    t.match(again.text, "Beside .pth/contract.json: no change");
  });

  await t.test("a new optional field is compatible", async (t) => {
    const { data, text } = await succeed(
      t,
      "pth_apply_fix",
      change(
        "note",
        "value: z.string().max(10_000) }",
        "value: z.string().max(10_000), note: z.string().optional() }",
      ),
    );
    const { contract } = data.reload as { contract: { breaking: number } };
    t.equal(contract.breaking, 0, text);
    t.match(text, /Beside \.pth\/contract\.json: 1 compatible change/);
  });

  await t.test("a field that allows less is breaking, and told at reload with its place", async (t) => {
    const { text } = await succeed(
      t,
      "pth_apply_fix",
      change("shorter", "max(10_000), note", "max(100), note"),
    );
    t.match(
      text,
      /breaking +limit-tightened +tools\/kv_set\/inputSchema\/properties\/value: maxLength was 10000, now it is 100/,
    );
    const { data } = await succeed(t, "pth_check_contract");
    t.equal(breaking(data.changes).length, 1);
  });

  await t.test("what is kept on purpose is the contract from then on", async (t) => {
    await succeed(t, "pth_check_contract", { save: true });
    t.match((await succeed(t, "pth_reload_plugin")).data, { contract: { breaking: 0, changes: [] } });
  });

  await t.test("a contract that cannot be read stops no reload", async (t) => {
    const spoil = { title: "spoil", edits: [{ path: ".pth/contract.json", content: "{" }] };
    await succeed(t, "pth_apply_fix", spoil);
    const { data } = await succeed(t, "pth_reload_plugin");
    t.equal(data.contract, undefined);
    t.match((await call("pth_check_contract")).text, /\.pth\/contract\.json:1:\d/);
  });

  await t.test("the definitions are linted, and their cost counted with the answers of tests", async (t) => {
    await succeed(t, "pth_generate_tests", { tools: ["kv_set", "counter"] });
    await succeed(t, "pth_run_test_suite", { tool: "counter" });
    const { data, text } = await succeed(t, "pth_lint_plugin");
    t.match(text, /tools\/list costs \d+ tokens/);
    const { list, tools, answers } = data.tokenCost as Record<
      string,
      { tokens: number } & { tool: string }[]
    >;
    t.ok(list!.tokens > 300);
    t.equal(tools!.length, 10);
    t.ok(answers!.some(({ tool }) => tool === "counter"));
    t.ok((data.findings as { code: string }[]).some(({ code }) => code === "missing-parameter-description"));
  });

  const { data } = await succeed(t, "pth_end_session");
  t.ok(data, "ends");
  t.match(
    await readTextFile(`${folder}/sample_plugin/src/state_tools.ts`),
    "max(10_000) }",
    "the author's own is untouched",
  );
});
