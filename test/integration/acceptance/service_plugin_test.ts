// test: timeout=600
/**
 * A plugin that manages services, timers and users: its source asks for a container with systemd, its tests pass there and in a
 * virtual machine, and are skipped with the reason on lower tiers.
 */
import { join } from "node:path";
import t from "tap";
import { copyFixture } from "../../support/fixture_plugin.ts";
import { makePlace, type Place, runPth, story } from "../../support/pth_run.ts";
import { type EnvironmentName, readiness } from "../../support/readiness.ts";

t.setTimeout(590_000);
const skips = await readiness();
const place = await makePlace(t);
const plugin = await copyFixture("service_plugin", place.folder);

const byHand = [
  "a service is made, started, looked at and stopped",
  "a service that fails at once is told as failed",
  "unit_status - a service that is not there",
  "a user is added and removed",
  "a timer runs its command",
];

/** It has no dependencies: npm would only take its time, in an emulated machine a long one. */
const noInstall = ["--install", ""];
/** Without generated tests, each of which starts servers of its own. */
const handwritten = ["--tests", join(plugin, ".pth/tests")];

async function statuses(place: Place, args: readonly string[]) {
  const ran = await runPth(place, [plugin, ...noInstall, ...args]);
  const tests = ran.report.tests.filter(({ name }) => byHand.includes(name));
  return { ran, tests, statuses: Object.fromEntries(tests.map(({ name, status }) => [name, status])) };
}
const all = (status: string) => Object.fromEntries(byHand.map((name) => [name, status]));

for (const [env, tests] of [["systemd", []], ["vm", handwritten]] as const) {
  t.test(`passes on ${env}`, { skip: skips[env] }, async (t) => {
    const { ran, statuses: found } = await statuses(place, ["--env", env, ...tests]);
    t.same(found, all("passed"), story(ran));
    t.equal(ran.report.summary.failed, 0, "nor does a generated test fail");
    t.equal(ran.code, 0);
  });
}

t.test(
  "without a word it gets the tier that its source asks for, and says why",
  { skip: skips.systemd },
  async (t) => {
    const { ran, statuses: found } = await statuses(place, [...handwritten, "--grep", byHand[3]!]);
    t.same(found, { [byHand[3]!]: "passed" }, story(ran));
    t.match(ran.report.environment, {
      runtime: "systemd",
      reason:
        /tier 2 is what the plugin asks for: uses systemd.* \(server\.mjs:\d+\).*; asking for a runtime or a tier overrides this/,
    });
  },
);

for (const env of ["docker", "sandbox"] as const satisfies readonly EnvironmentName[]) {
  t.test(`is skipped with the reason on ${env}`, { skip: skips[env] }, async (t) => {
    const { ran, tests, statuses: found } = await statuses(place, ["--env", env]);
    t.same(found, all("skipped"), story(ran));
    for (const { note } of tests) {
      t.equal(note, "needs an environment of tier 2 (a container with systemd), this one is tier 1");
    }
    t.equal(ran.code, 0, "what is skipped does not fail");
  });
}
