import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t, { type Test } from "tap";
import { checkDependencies } from "../../../../src/app/environment/dependencies.ts";
import type { SessionParts } from "../../../../src/app/session/session_parts.ts";
import { liveSession } from "../../actors/live.ts";

async function plugin(t: Test, packageJson: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "pth-dependency-"));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, "stock"));
  await writeFile(join(folder, "stock", "package.json"), packageJson);
  return join(folder, "stock");
}

const contextOf = (live: SessionParts["live"]) => ({ live }) as SessionParts;

t.test("names are filled in, and values that are secret by name or by the plugin's files are hidden", async (t) => {
  const { live } = liveSession();
  const source = await plugin(t, JSON.stringify({ pth: { config: { PHRASE: { secret: true } } } }));
  const configValues = { PHRASE: "parrot-tulip", API_TOKEN: "tulip-mania", LEVEL: "debug" };
  const config = await checkDependencies(contextOf(live), { dependencyPlugins: [{ source, configValues }] });
  t.strictSame(config.dependencyPlugins, [{ source, configValues, name: "stock" }]);
  t.equal(live.secrets.redact.text("parrot-tulip tulip-mania debug"), "[REDACTED] [REDACTED] debug");
  t.strictSame([...live.secrets.values], [], "the plugin under test is not given them");
});

t.test("a source that is not there is refused, one whose files are broken is told when it is started", async (t) => {
  const { live } = liveSession();
  const missing = checkDependencies(contextOf(live), { dependencyPlugins: [{ source: "/no/such/folder" }] });
  await t.rejects(missing, { code: "TARGET_NOT_FOUND" });
  const source = await plugin(t, "{ no json");
  const broken = { dependencyPlugins: [{ source, configValues: { A: "b" } }] };
  t.match(await checkDependencies(contextOf(live), broken), { dependencyPlugins: [{ name: "stock" }] });
  t.strictSame(await checkDependencies(contextOf(live), { tier: 1 }), { tier: 1 });
});
