/** PTH as a plugin of Claude Code. `PTH_CLAUDE` is the path of its command; .ci/run installs one. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import t from "tap";
import { readTextFile } from "../../../src/platform/files.ts";
import { readEnv } from "../../../src/platform/host.ts";
import { runCommand } from "../../../src/platform/process.ts";
import { parseTests } from "../../../src/testing/format/parse.ts";
import { registry } from "../../../src/tools/_registry.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const claude = readEnv("PTH_CLAUDE");

/** Texts that a plugin holds for the model to read. */
async function pluginTexts(): Promise<{ path: string; text: string }[]> {
  const found: { path: string; text: string }[] = [];
  for (const folder of ["skills", "commands", "agents"]) {
    for (const entry of await readdir(join(root, folder), { recursive: true })) {
      if (!entry.endsWith(".md")) continue;
      found.push({ path: `${folder}/${entry}`, text: await readTextFile(join(root, folder, entry)) });
    }
  }
  return found;
}

/** Keys at the top of what stands between the braces of an object in JavaScript. */
function keysOf(object: string): string[] {
  let flat = object;
  for (let before = ""; flat !== before;) {
    [before, flat] = [flat, flat.replace(/\[[^[\]]*\]|\{[^{}]*\}/g, "")];
  }
  return flat.split(",").map((part) => part.split(":")[0]!.trim()).filter((key) => /^\w+$/.test(key));
}

const skip = claude === undefined ? "PTH_CLAUDE does not name a Claude Code command" : false;

t.test("claude plugin validate is clean on the repository", { skip }, async (t) => {
  const result = await runCommand([claude!, "plugin", "validate", "--strict", root], {
    env: { HOME: t.testdir({}), DISABLE_AUTOUPDATER: "1", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1" },
  });
  const output = result.stdout + result.stderr;
  t.equal(result.code, 0, output);
  t.match(output, "Validation passed");
  t.notMatch(output, /✘|⚠/, "no problems and no warnings");
  t.match(output, /mcpServers: pth stdio sh/);
  for (const part of ["skills: pth:test-plugin", "commands: pth:watch", "agents: pth:fixer"]) {
    t.match(output, part);
  }
});

t.test("skills, commands and the subagent name tools and arguments that there are", async (t) => {
  const texts = await pluginTexts();
  t.ok(texts.length >= 7, "all are read");
  for (const { path, text } of texts) {
    for (const [name] of text.replaceAll("mcp__plugin_pth_pth__", "").matchAll(/\bpth_[a-z]\w*/g)) {
      t.ok(registry.some((tool) => tool.name === name), `${path}: ${name}`);
    }
    for (const [call, name, object = ""] of text.matchAll(/(pth_[a-z_]+)\(\{([^\n]*?)\}\)/g)) {
      const shape = registry.find((tool) => tool.name === name)?.definition.input.shape ?? {};
      for (const key of keysOf(object)) t.ok(key in shape, `${path}: ${key} in ${call}`);
    }
  }
});

t.test("skills are short, and tests in them can be created as they are", async (t) => {
  const skills = (await pluginTexts()).filter(({ path }) => path.startsWith("skills/"));
  for (const { path, text } of skills) {
    t.ok(text.split("\n").length <= 121, path);
    for (const [, yaml] of text.matchAll(/```yaml\n([^]*?)```/g)) t.equal(parseTests(path, yaml!).length, 1);
  }
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
