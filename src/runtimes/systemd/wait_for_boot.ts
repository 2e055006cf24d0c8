/** Waits until systemd has brought a container up, and tells what it could not bring up. */
import { PthError } from "../../core/errors.ts";
import { type ContainerExec, execInside } from "../docker/exec.ts";
import { containerLog } from "../docker/container_reports.ts";
import { sections } from "../shared/sections.ts";
/** Time that a start may take, in ms; usual is half a second. */
const startsWithin = 60_000;

/** States in which nothing more comes. Before its bus listens, systemd says "offline" or nothing at all. */
const bootScript = `
while :; do
  state=$(systemctl is-system-running --wait 2>/dev/null)
  case $state in running | degraded | maintenance | stopping) break ;; esac
  sleep 0.02
done
echo '== state'; echo "$state"
echo '== failed'; systemctl list-units --failed --plain --no-legend 2>/dev/null | cut -d' ' -f1
echo '== capabilities'; grep CapBnd /proc/1/status | cut -f2; cat /proc/sys/kernel/cap_last_cap
`;

/**
 * Answers notes: units that failed, capabilities that the engine did not grant.
 * @throws {PthError} `PROVISION_FAILED` with the journal's tail; the signal's reason once aborted
 */
export async function waitForBoot(
  place: ContainerExec,
  signal: AbortSignal | undefined,
  limitMs: number = startsWithin,
): Promise<string[]> {
  const late = AbortSignal.timeout(limitMs);
  const either = signal ? AbortSignal.any([signal, late]) : late;
  try {
    const { stdout } = await execInside(place, ["sh", "-c", bootScript], { signal: either });
    const found = sections(stdout);
    const state = found.get("state")?.[0] ?? "";
    if (state === "running" || state === "degraded") return notesOf(found);
    throw new Error(`it is in state "${state}"`);
  } catch (error) {
    signal?.throwIfAborted();
    const why = late.aborted
      ? `it was not up within ${limitMs / 1000} s`
      : error instanceof Error
      ? error.message
      : String(error);
    throw await notBooted(place, why, error);
  }
}

function notesOf(found: Map<string, string[]>): string[] {
  const failed = found.get("failed") ?? [];
  const [granted = "0", last = "0"] = found.get("capabilities") ?? [];
  const missing = missingCapabilities(granted, Number(last));
  return [
    ...(failed.length > 0 ? [`The machine is degraded: at its start failed ${failed.join(", ")}`] : []),
    ...(missing.length > 0 ? [`The engine did not grant ${missing.join(", ")}`] : []),
  ];
}

async function notBooted(place: ContainerExec, why: string, cause: unknown): Promise<PthError> {
  const output = await containerLog(place, 60).catch(() => ""); // a container that is gone has no log
  return new PthError("PROVISION_FAILED", `Cannot provision a container with systemd: ${why}`, {
    output,
    next: [
      "See in the output what it waited for, or why it ended",
      {
        terminal: "Use an image made for it: pth images build debian12-systemd",
        mcp: 'Use an image made for it: pth_rebuild_base_images({ names: ["debian12-systemd"] })',
      },
      {
        terminal: "Use a virtual machine, whose systemd needs nothing of an engine: --env vm",
        mcp:
          'Use a virtual machine, whose systemd needs nothing of an engine: pth_provision_environment({ runtime: "vm" })',
      },
    ],
  }, { cause });
}

/** Names of Linux capabilities (capabilities(7)), to tell which ones an engine did not grant. */

/** In the order of their bits. */
const names = [
  "CHOWN",
  "DAC_OVERRIDE",
  "DAC_READ_SEARCH",
  "FOWNER",
  "FSETID",
  "KILL",
  "SETGID",
  "SETUID",
  "SETPCAP",
  "LINUX_IMMUTABLE",
  "NET_BIND_SERVICE",
  "NET_BROADCAST",
  "NET_ADMIN",
  "NET_RAW",
  "IPC_LOCK",
  "IPC_OWNER",
  "SYS_MODULE",
  "SYS_RAWIO",
  "SYS_CHROOT",
  "SYS_PTRACE",
  "SYS_PACCT",
  "SYS_ADMIN",
  "SYS_BOOT",
  "SYS_NICE",
  "SYS_RESOURCE",
  "SYS_TIME",
  "SYS_TTY_CONFIG",
  "MKNOD",
  "LEASE",
  "AUDIT_WRITE",
  "AUDIT_CONTROL",
  "SETFCAP",
  "MAC_OVERRIDE",
  "MAC_ADMIN",
  "SYSLOG",
  "WAKE_ALARM",
  "BLOCK_SUSPEND",
  "AUDIT_READ",
  "PERFMON",
  "BPF",
  "CHECKPOINT_RESTORE",
];

/**
 * @param granted The set as `/proc/<pid>/status` shows it, in hexadecimal.
 * @param last The kernel's highest capability.
 */
export function missingCapabilities(granted: string, last: number): string[] {
  const set = BigInt(`0x${granted}`);
  const bits = Array.from({ length: last + 1 }, (_, bit) => bit);
  return bits.filter((bit) => (set >> BigInt(bit) & 1n) === 0n).map((bit) => `CAP_${names[bit] ?? bit}`);
}
