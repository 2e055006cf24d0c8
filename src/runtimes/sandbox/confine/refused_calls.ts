/** Numbers of the system calls that a box has no use for, by the interface that a program was built for. */

/** In the order of the columns below. `i386` and `arm` are what 32-bit programs use on the two others. */
export const interfaces = ["x86_64", "i386", "aarch64", "arm"] as const;
export type Interface = (typeof interfaces)[number];

type Numbers = readonly [
  x86_64: number | undefined,
  i386: number | undefined,
  aarch64: number | undefined,
  arm: number | undefined,
];

const none = undefined;

/** System calls that belong to the whole machine or lead around the box's walls. */
export const refusedCalls: Record<string, Numbers> = {
  // Keys lie with the user, not with a namespace: those of the host's sessions would be in reach.
  keyctl: [250, 288, 219, 311],
  add_key: [248, 286, 217, 309],
  request_key: [249, 287, 218, 310],
  // The kernel itself.
  kexec_load: [246, 283, 104, 347],
  kexec_file_load: [320, none, 294, 401],
  init_module: [175, 128, 105, 128],
  finit_module: [313, 350, 273, 379],
  delete_module: [176, 129, 106, 129],
  bpf: [321, 357, 280, 386],
  perf_event_open: [298, 336, 241, 364],
  lookup_dcookie: [212, 253, 18, 249],
  syslog: [103, 103, 116, 103],
  userfaultfd: [323, 374, 282, 388],
  iopl: [172, 110, none, none],
  ioperm: [173, 101, none, none],
  // Files past all mounts.
  open_by_handle_at: [304, 342, 265, 371],
  // Work that the kernel does on behalf of a process is not filtered: sockets, too, could be had this way.
  io_uring_setup: [425, 425, 425, 425],
  io_uring_enter: [426, 426, 426, 426],
  io_uring_register: [427, 427, 427, 427],
  // The machine as a whole.
  reboot: [169, 88, 142, 88],
  swapon: [167, 87, 224, 87],
  swapoff: [168, 115, 225, 115],
  acct: [163, 51, 89, 51],
  quotactl: [179, 131, 60, 131],
  quotactl_fd: [443, 443, 443, 443],
  settimeofday: [164, 79, 170, 79],
  clock_settime: [227, 264, 112, 262],
  clock_settime64: [none, 404, none, 404],
};

/** Calls that are refused for some of their arguments only. */
export const checkedCalls = {
  socket: [41, 359, 198, 281],
  /** The older way to all that is done with sockets. */
  socketcall: [none, 102, none, none],
  ioctl: [16, 54, 29, 54],
} satisfies Record<string, Numbers>;

export const numberOf = (numbers: Numbers, which: Interface): number | undefined =>
  numbers[interfaces.indexOf(which)];
