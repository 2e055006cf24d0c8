/** Tier 1 on a container engine: Docker's API over its socket, or Podman's through `DOCKER_HOST`. */
import { containerAbilities, type ContainerKind } from "./docker/container_kind.ts";
import { containerRuntime, probeEngine } from "./docker/container_runtime.ts";
import { containerLeftovers } from "./docker/container_leftovers.ts";
import { defineRuntime } from "./runtime.ts";

const plain: ContainerKind = {
  runtime: "docker",
  tier: 1,
  image: "container",
  abilities: { ...containerAbilities, systemd: false },
  // It can be used as soon as it has started.
  ready: () => Promise.resolve([]),
};

export default defineRuntime({
  name: plain.runtime,
  summary:
    "a container of a base image, through the Engine API (Docker, or Podman's socket through `DOCKER_HOST`)",
  needs: "an engine, and the image `debian12`",
  tiers: [plain.tier],
  rank: 1,
  networks: ["none", "host"],
  probe: (image) => probeEngine(plain, image),
  create: () => containerRuntime(plain),
  leftovers: () => containerLeftovers(plain.runtime),
});
