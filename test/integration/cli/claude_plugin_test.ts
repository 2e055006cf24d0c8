/** PTH as a plugin of Claude Code. `PTH_CLAUDE` is the path of its command; .ci/run installs one. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import t from "tap";
import { readTextFile } from "../../../src/platform/files.ts";
import { env } from "../../../src/platform/host.ts";
import { run } from "../../../src/platform/process.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const claude = env("PTH_CLAUDE");
const skip = claude === undefined ? "PTH_CLAUDE does not name a Claude Code command" : false;

t.test("claude plugin validate is clean on the repository", { skip }, async (t) => {
  const result = await run([claude!, "plugin", "validate", root], {
    env: { HOME: t.testdir({}), DISABLE_AUTOUPDATER: "1", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1" },
  });
  const output = result.stdout + result.stderr;
  t.equal(result.code, 0, output);
  t.match(output, "Validation passed");
  t.notMatch(output, /✘|⚠/, "no problems and no warnings");
  t.match(output, /mcpServers: pth stdio sh/);
});

t.test("plugin and package have one name for one version", async (t) => {
  const read = async (path: string) => JSON.parse(await readTextFile(join(root, path)));
  t.equal((await read(".claude-plugin/plugin.json")).version, (await read("package.json")).version);
});

t.test("the marketplace offers the plugin of this repository, and .mcp.json starts what is there", async (t) => {
  const read = async (path: string) => JSON.parse(await readTextFile(join(root, path)));
  const plugin = await read(".claude-plugin/plugin.json");
  t.match((await read(".claude-plugin/marketplace.json")).plugins, [{ name: plugin.name, source: "./" }]);
  const { command, args } = (await read(".mcp.json")).mcpServers.pth;
  t.equal(command, "sh");
  const script = args[0].replace("${CLAUDE_PLUGIN_ROOT}", root);
  t.match(await readTextFile(script), /^#!\/bin\/sh/);
});
