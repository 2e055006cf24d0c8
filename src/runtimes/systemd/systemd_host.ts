/** Options to start a container with systemd as its first process. */
import type { ContainerCreateOptions } from "dockerode";

/** Asks systemd to shut down in order. */
export const systemdStopSignal = "SIGRTMIN+3";

/**
 * Without full privileges the engine mounts the container's own cgroups read-only: they become writable inside, where
 * nothing but the container's own part of the tree is seen. Only systemd itself gets the variable that it is in a container.
 */
const script = `for folder in /sys/fs/cgroup /sys/fs/cgroup/*; do
  [ -L "$folder" ] || mount -o remount,bind,rw "$folder" 2>/dev/null
done
for init in /sbin/init /lib/systemd/systemd /usr/lib/systemd/systemd; do
  [ -x "$init" ] && exec env container=docker TERM=dumb SYSTEMD_COLORS=0 "$init"
done
echo "There is no systemd in this image"; exit 127`;

export const systemdInit = ["sh", "-c", script];

/**
 * Capabilities that systemd cannot do without, where an engine does not grant all: mounts, its network, other
 * users' processes.
 */
const leastCapabilities = ["SYS_ADMIN", "NET_ADMIN", "SYS_PTRACE", "SYS_NICE", "IPC_LOCK"];

/** The engine's option that its client's types do not know. */
type HostConfig = NonNullable<ContainerCreateOptions["HostConfig"]> & { CgroupnsMode: "private" };

/** All privileges; where they are refused, all capabilities but those that engines in containers lack, else the least. */
export function systemdHost(
  granted: { privileged: boolean; allCapabilities: boolean },
): HostConfig {
  return {
    // Cgroups of its own: the host's tree is neither shared in nor seen.
    CgroupnsMode: "private",
    Tmpfs: { "/run": "rw,nosuid,nodev,exec,mode=755", "/run/lock": "" },
    ...(granted.privileged
      // An engine that maps users allows privileges only without the map.
      ? { Privileged: true, UsernsMode: "host" }
      : {
        CapAdd: granted.allCapabilities ? ["ALL"] : leastCapabilities,
        ...(granted.allCapabilities ? { CapDrop: ["SYS_RESOURCE"] } : {}),
        SecurityOpt: ["seccomp=unconfined", "apparmor=unconfined"],
      }),
  };
}
