import t from "tap";
import type { EnvironmentConfig } from "../../../../machines/model/environment.ts";
import { inheritConfig } from "../../../../src/app/environment/replace_steps.ts";

const docker: EnvironmentConfig = {
  runtime: "docker",
  tier: 1,
  baseImage: "pth-base-debian13",
  resources: { cpus: 1 },
};
const automatic: EnvironmentConfig = { runtime: "auto", tier: 2 };

t.test("the same again keeps all of it", (t) => {
  t.same(inheritConfig(docker, true, {}), docker);
  t.same(inheritConfig(undefined, false, { tier: 2 }), {});
  t.end();
});

t.test("a tier that was chosen is chosen anew, one that was given is kept", (t) => {
  t.same(inheritConfig(automatic, false, {}), { runtime: "auto" });
  t.same(inheritConfig(automatic, true, {}), automatic);
  t.end();
});

t.test("another tier takes another runtime, of the same distribution", (t) => {
  t.same(inheritConfig(docker, false, { tier: 2 }), { baseImage: "debian13", resources: { cpus: 1 } });
  t.same(inheritConfig({ ...docker, baseImage: "node:22" }, true, { tier: 3 }), {
    tier: 1,
    resources: { cpus: 1 },
  });
  t.same(inheritConfig(docker, true, { tier: 1 }), docker, "the same tier is no other");
  t.end();
});

t.test("another runtime drops the tier, and an image that is seldom its own", (t) => {
  t.same(inheritConfig(docker, true, { runtime: "sandbox" }), { runtime: "docker", resources: { cpus: 1 } });
  t.end();
});
