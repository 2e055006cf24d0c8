import t from "tap";
import type { Tier, TierRecommendation } from "../../../machines/model/environment.ts";
import { chooseRuntime } from "../../../src/runtimes/choose_runtime.ts";
import host from "../../../src/runtimes/host.ts";
import type { Readiness, RuntimeDefinition } from "../../../src/runtimes/runtime.ts";

const ready: Readiness = { ready: true, reason: "it answers" };
const absent: Readiness = { ready: false, reason: "it is not there", next: ["install it"] };

const runtime = (name: string, tier: Tier, rank: number, readiness: Readiness): RuntimeDefinition => ({
  name,
  summary: "",
  needs: "",
  tiers: [tier],
  rank,
  probe: () => Promise.resolve(readiness),
  create: () => t.fail("nothing is made") as never,
  networks: ["none", "host"],
  leftovers: () => Promise.resolve([]),
});

const machine = (systemd: Readiness, vm: Readiness): RuntimeDefinition[] => [
  runtime("host", 1, 3, ready),
  runtime("docker", 1, 1, ready),
  runtime("systemd", 2, 1, systemd),
  runtime("vm", 3, 1, vm),
];

const asksFor = (tier: Tier) => (): Promise<TierRecommendation> =>
  Promise.resolve({
    tier,
    reasons: tier === 1 ? [] : [
      { tier, what: "uses systemd", file: "server.mjs", line: 12, text: "…" },
      { tier, what: "uses systemd", file: "server.mjs", line: 20, text: "…" },
    ],
  });
const notAsked = () => Promise.reject(new Error("the source is not read where its answer does not count"));

t.test("a network that a runtime does not have is refused by name, and passed over where PTH chooses", async (t) => {
  const [docker, vm] = [runtime("docker", 1, 1, ready), { ...runtime("vm", 3, 1, ready), networks: [] }];
  const bare = { ...runtime("host", 1, 0, ready), networks: ["host" as const] };
  const all = [bare, docker, vm];
  const choice = await chooseRuntime(all, { network: "none" }, asksFor(1));
  t.match(choice, { definition: { name: "docker" } });
  t.match(choice.reason, "not host: it has no environments with network none");
  t.match(await chooseRuntime(all, { network: "host" }, asksFor(1)), { definition: { name: "host" } });
  t.match(await chooseRuntime(all, { runtime: "vm", network: "default" }, notAsked), {
    definition: { name: "vm" },
  });
  for (const [name, network] of [["host", "none"], ["vm", "none"], ["vm", "host"]] as const) {
    const asked = chooseRuntime(all, { runtime: name, network }, notAsked);
    await t.rejects(asked, {
      code: "UNSUPPORTED",
      message: `Cannot use ${name}: it has no environments with network`,
      context: {
        next: [network === "none" ? "Use a runtime that has it: docker" : /docker/, /^Networks of/],
      },
    });
  }
  await t.rejects(chooseRuntime([bare], { network: "none" }, asksFor(1)), { code: "RUNTIME_UNAVAILABLE" });
});

t.test("a plugin that asks for nothing gets the strongest plain container that is ready", async (t) => {
  const choice = await chooseRuntime(machine(ready, ready), {}, asksFor(1));
  t.match(choice, { definition: { name: "docker" }, tier: 1, automatic: true });
  t.equal(choice.reason, "docker: it answers; asking for a runtime overrides this");
  t.match(await chooseRuntime(machine(ready, ready), {}, () => Promise.resolve(undefined)), { tier: 1 });
});

t.test("a plugin gets the tier that its source asks for, with the place and what overrides it", async (t) => {
  const choice = await chooseRuntime(machine(ready, ready), { runtime: "auto" }, asksFor(2));
  t.match(choice, { definition: { name: "systemd" }, tier: 2, automatic: true });
  t.equal(
    choice.reason,
    "systemd: it answers; tier 2 is what the plugin asks for: uses systemd (server.mjs:12) and 1 more place; " +
      "asking for a runtime or a tier overrides this",
  );
});

t.test("without a runtime of that tier the best one below is taken, which says so and what would help", async (t) => {
  const choice = await chooseRuntime(machine(absent, absent), {}, asksFor(3));
  t.match(choice, { definition: { name: "docker" }, tier: 1, automatic: true });
  t.match(
    choice.reason,
    /tier 3 is what the plugin asks for: .*; none of it is ready, so this is tier 1, and tests that require more are skipped; not vm, systemd: it is not there; to have it: install it; asking for/,
  );
  t.match(await chooseRuntime(machine(ready, absent), {}, asksFor(3)), { tier: 2 });
});

t.test("a tier that was asked for is kept to, and the source is not read", async (t) => {
  t.match(await chooseRuntime(machine(ready, ready), { tier: 1 }, notAsked), { tier: 1, automatic: false });
  await t.rejects(chooseRuntime(machine(ready, absent), { tier: 3 }, notAsked), {
    code: "RUNTIME_UNAVAILABLE",
    message: "Cannot provision environment: no runtime for tier 3 is ready",
    context: {
      tried: [/not vm/, /install it/],
      next: ["install it", { terminal: /lower tier: --env-tier 1/ }],
    },
  });
});

t.test("an image that only one tier has asks for that tier", async (t) => {
  t.match(await chooseRuntime(machine(ready, ready), { baseImage: "pth-base-debian12-vm" }, notAsked), {
    tier: 3,
  });
  t.match(await chooseRuntime(machine(ready, ready), { baseImage: "debian12-systemd" }, notAsked), {
    tier: 2,
  });
  t.match(await chooseRuntime(machine(ready, ready), { baseImage: "debian12" }, asksFor(3)), { tier: 3 });
});

t.test("an image of another tier than the one that was asked for is refused", async (t) => {
  const baseImage = "debian12-vm";
  await t.rejects(chooseRuntime(machine(ready, ready), { runtime: "docker", baseImage }, notAsked), {
    code: "INVALID_INPUT",
    message:
      "Cannot provision environment: docker makes environments of tier 1, and image debian12-vm is for tier 3",
  });
  await t.rejects(chooseRuntime(machine(ready, ready), { tier: 2, baseImage }, notAsked), {
    code: "INVALID_INPUT",
    message: "Cannot provision environment: image debian12-vm is for tier 3, not 2",
    context: { next: ["For tier 2: image debian12", "Or give the image alone"] },
  });
});

t.test("an image that no runtime has is never exchanged for the host as it is", async (t) => {
  const runtimes = [runtime("docker", 1, 1, absent), host];
  const baseImage = "debian13";
  t.match(await chooseRuntime(runtimes, {}, asksFor(1)), { definition: { name: "host" } });
  await t.rejects(chooseRuntime(runtimes, { baseImage }, asksFor(1)), {
    code: "RUNTIME_UNAVAILABLE",
    message: "Cannot provision environment: no runtime for tier 1 is ready with image debian13",
    context: {
      tried: [/not docker/, /install it/, /not host: it has no image debian13/],
      next: [/install it/, { terminal: /Leave the image out/ }],
    },
  });
  await t.rejects(chooseRuntime(runtimes, { runtime: "host", baseImage }, notAsked), {
    code: "UNSUPPORTED",
    message: "Cannot use host: it has no image debian13, it is this machine as it is",
  });
});

t.test("an image that is not built is told as such", async (t) => {
  const unbuilt = {
    ready: false,
    reason: "Cannot make a machine: not built",
    code: "IMAGE_MISSING" as const,
  };
  await t.rejects(chooseRuntime(machine(ready, unbuilt), { runtime: "vm" }, notAsked), {
    code: "IMAGE_MISSING",
    message: "Cannot use vm: not built",
  });
});

t.test("a named runtime has its own tier, and no other", async (t) => {
  t.match(await chooseRuntime(machine(ready, ready), { runtime: "vm" }, notAsked), {
    tier: 3,
    automatic: true,
  });
  await t.rejects(chooseRuntime(machine(ready, ready), { runtime: "docker", tier: 3 }, notAsked), {
    code: "INVALID_INPUT",
    message: "Cannot provision environment: docker makes environments of tier 1, not 3",
    context: { next: ["For tier 3: vm", "Or give the runtime alone"] },
  });
  await t.rejects(chooseRuntime(machine(ready, absent), { runtime: "vm" }, notAsked), {
    code: "RUNTIME_UNAVAILABLE",
    message: "Cannot use vm: it is not there",
  });
  await t.rejects(chooseRuntime(machine(ready, ready), { runtime: "dokcer" }, notAsked), {
    code: "INVALID_INPUT",
  });
});
