// test: timeout=600
/**
 * A plugin that sets kernel parameters and firewall rules: its source asks for a virtual machine, with file and line; there its
 * tests pass and change the guest's parameters, while the host's stay; on lower tiers they are skipped with the reason.
 */
import { join } from "node:path";
import t from "tap";
import { readTextFile } from "../../../src/platform/files.ts";
import { pth } from "../../support/pth.ts";
import { copyFixture } from "../../support/fixture_plugin.ts";
import { makePlace, runPth, story } from "../../support/pth_run.ts";
import { readiness } from "../../support/readiness.ts";

t.setTimeout(590_000);
const skips = await readiness();
const place = await makePlace(t);
const plugin = await copyFixture("kernel_plugin", place.folder);

const byHand = [
  "a kernel parameter is set",
  "set_sysctl - a parameter that is not there",
  "a table is added to the firewall, counts, and is removed",
];
const all = (status: string) => Object.fromEntries(byHand.map((name) => [name, status]));

/** What the tests set in the guest, as the host has it. */
const hostParameters = () =>
  Promise.all(["net/ipv4/ip_default_ttl", "vm/swappiness"].map((name) => readTextFile(`/proc/sys/${name}`)));

/** It has no dependencies, and generated tests start many servers: both take long in an emulated machine. */
const quickly = ["--install", "", "--tests", join(plugin, ".pth/tests")];

async function judged(args: readonly string[]) {
  const ran = await runPth(place, [plugin, ...quickly, ...args]);
  const tests = ran.report.tests.filter(({ name }) => byHand.includes(name));
  return { ran, tests, statuses: Object.fromEntries(tests.map(({ name, status }) => [name, status])) };
}

t.test("preflight recommends a virtual machine, with file and line of each reason", async (t) => {
  const { stdout, stderr } = await pth(["preflight", plugin], { env: place.env });
  const source = (await readTextFile(join(plugin, "server.mjs"))).split("\n");
  const line = (part: string) => source.findIndex((text) => text.includes(part)) + 1;
  const parameters = `sets kernel parameters \\(server\\.mjs:${line('"/proc/sys/')}\\)`;
  const firewall = `changes or reads firewall rules \\(server\\.mjs:${line('run("nft"')}\\)`;
  t.match(stdout + stderr, new RegExp(`3, a virtual machine: ${parameters}, ${firewall}`));
});

t.test("passes in a virtual machine, and the host's parameters stay", { skip: skips.vm }, async (t) => {
  const before = await hostParameters();
  const { ran, statuses } = await judged([]);
  t.same(statuses, all("passed"), story(ran));
  t.equal(ran.code, 0);
  t.match(ran.report.environment, {
    runtime: "vm",
    reason: /tier 3 is what the plugin asks for: sets kernel parameters \(server\.mjs:\d+\)/,
  });
  t.same(await hostParameters(), before);
  t.notMatch(before, ["77\n", "17\n"], "which are others than the tests set");
});

for (const [env, tier] of [["systemd", 2], ["docker", 1], ["sandbox", 1]] as const) {
  t.test(
    `is skipped with the reason on ${env}, and the host's parameters stay`,
    { skip: skips[env] },
    async (t) => {
      const before = await hostParameters();
      const { ran, tests, statuses } = await judged(["--env", env]);
      t.same(statuses, all("skipped"), story(ran));
      for (const { note } of tests) {
        t.equal(note, `needs an environment of tier 3 (a virtual machine), this one is tier ${tier}`);
      }
      t.same(await hostParameters(), before);
    },
  );
}
