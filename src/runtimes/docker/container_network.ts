/** Chooses a container's network, with the reason. */
import type { NetworkMode } from "../../../machines/model/environment.ts";

export interface ContainerNetwork {
  mode: "bridge" | "host" | "none";
  /** One sentence for readers of `inspect`. */
  reason: string;
}

const bridgeNetwork: ContainerNetwork = {
  mode: "bridge",
  reason: "the engine's bridge: an address of its own",
};

const none: ContainerNetwork = { mode: "none", reason: "none: a loopback of its own only" };

export const hostNetwork = (why: string): ContainerNetwork => ({
  mode: "host",
  reason: `shared with the host, because ${why}`,
});

/** Variables whose address everything inside must reach. */
const addresses = /^(https?_proxy|all_proxy|npm_config_(registry|proxy|https_proxy)|pip_index_url)$/i;
const loopback = /^(\w+:\/\/)?([^@/]*@)?(localhost|127\.|\[::1\])/;

/**
 * Chooses what was asked for; else the bridge, unless a proxy or mirror that is carried in listens on the host's
 * loopback: out of reach from there.
 */
export function chooseNetwork(env: Record<string, string>, asked?: NetworkMode): ContainerNetwork {
  if (asked !== undefined) return asked === "none" ? none : hostNetwork("that was asked for");
  const unreachable = Object.entries(env).find(([name, value]) =>
    addresses.test(name) && loopback.test(value)
  );
  if (!unreachable) return bridgeNetwork;
  return hostNetwork(`${unreachable[0]} names the host's loopback`);
}
