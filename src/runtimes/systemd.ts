/** Tier 2: a container whose first process is systemd, with all privileges that the engine grants. */
import { containerAbilities, type ContainerKind } from "./docker/container_kind.ts";
import { containerRuntime, probeEngine } from "./docker/container_runtime.ts";
import { containerLeftovers } from "./docker/container_leftovers.ts";
import { defineRuntime } from "./runtime.ts";
import { waitForBoot } from "./systemd/wait_for_boot.ts";

const withSystemd: ContainerKind = {
  runtime: "systemd",
  tier: 2,
  image: "systemd",
  abilities: {
    ...containerAbilities,
    systemd: true,
    advisory:
      "This container is privileged: systemd, services and users need that, and it weakens the isolation a lot. It shares the " +
      "host's kernel and can reach the host's devices, so a fault of the plugin or of a test can harm the host. Use it for code that you " +
      "trust, on a machine for development; where a plugin needs services and strong isolation, use a virtual machine (runtime vm, tier 3).",
  },
  ready: waitForBoot,
};

export default defineRuntime({
  name: withSystemd.runtime,
  summary: "a privileged container with systemd: services, timers, users, journal",
  needs: "an engine, and the image `debian12-systemd`",
  tiers: [withSystemd.tier],
  rank: 1,
  networks: ["none", "host"],
  probe: (image) => probeEngine(withSystemd, image),
  create: () => containerRuntime(withSystemd),
  leftovers: () => containerLeftovers(withSystemd.runtime),
});
