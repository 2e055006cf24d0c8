import t from "tap";
import type { EnvironmentConfig } from "../../../../machines/model/environment.ts";
import { keptConfig } from "../../../../src/app/environment/kept_config.ts";

const docker: EnvironmentConfig = {
  runtime: "docker",
  tier: 1,
  baseImage: "pth-base-debian13",
  resources: { cpus: 1 },
};
const automatic: EnvironmentConfig = { runtime: "auto", tier: 2 };

t.test("the same again keeps all of it", (t) => {
  t.same(keptConfig(docker, true, {}), docker);
  t.same(keptConfig(undefined, false, { tier: 2 }), {});
  t.end();
});

t.test("a tier that was chosen is chosen anew, one that was given is kept", (t) => {
  t.same(keptConfig(automatic, false, {}), { runtime: "auto" });
  t.same(keptConfig(automatic, true, {}), automatic);
  t.end();
});

t.test("another tier takes another runtime, of the same distribution", (t) => {
  t.same(keptConfig(docker, false, { tier: 2 }), { baseImage: "debian13", resources: { cpus: 1 } });
  t.same(keptConfig({ ...docker, baseImage: "node:22" }, true, { tier: 3 }), {
    tier: 1,
    resources: { cpus: 1 },
  });
  t.same(keptConfig(docker, true, { tier: 1 }), docker, "the same tier is no other");
  t.end();
});

t.test("another runtime drops the tier, and an image that is seldom its own", (t) => {
  t.same(keptConfig(docker, true, { runtime: "sandbox" }), { runtime: "docker", resources: { cpus: 1 } });
  t.end();
});
