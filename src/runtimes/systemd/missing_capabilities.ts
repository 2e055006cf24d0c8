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
