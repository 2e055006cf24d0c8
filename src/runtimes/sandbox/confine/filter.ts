/** Processors as Node names them, each with the interfaces that its kernel may offer. */
const processors: Record<string, readonly Interface[]> = {
  x64: ["x86_64", "i386"],
  arm64: ["aarch64", "arm"],
};

/** Number by which the kernel knows an interface (linux/audit.h). */
const auditNames: Record<Interface, number> = {
  x86_64: 0xc000003e,
  i386: 0x40000003,
  aarch64: 0xc00000b7,
  arm: 0x40000028,
};

const allowed = 0x7fff0000;
/** The call fails with "operation not permitted", as it does in a container. */
const refused = 0x00050000 | 1;

/** Leads to the hypervisor and to other machines of it, past every network. */
const vsockFamily = 40;
/** The first function of `socketcall`: to make a socket, of a family that a filter cannot see. */
const socketFunction = 1;
/** Characters that are put into a terminal's input as if typed: TIOCSTI, TIOCLINUX. */
const typingRequests = [0x5412, 0x541c];
/** On x86_64 a bit of the number names the x32 interface, which would be another name for every call. */
const x32Bit = 0x40000000;

/** Tells whether there is a filter for the processor. */
export const isKnownProcessor = (processor: string): boolean => Object.hasOwn(processors, processor);

/**
 * Makes the filter's program, as bytes.
 * @param processor as Node names it; what came from an interface that it does not have is refused
 * @throws {RangeError} for a processor that is not known
 */
export function systemCallFilter(processor: string): Uint8Array {
  const known = processors[processor];
  if (known === undefined) throw new RangeError(`There is no filter for processor ${processor}`);
  return assemble([{ load: callData.processor }, ...known.flatMap(part), { answer: refused }]);
}

/** Makes the whole filter of one interface; a call of another one continues after it. */
function part(which: Interface): BpfInstruction[] {
  const [refuse, allow, next] = ["refuse", "allow", "next"].map((label) => `${label} ${which}`) as [
    string,
    string,
    string,
  ];
  const numbers = Object.values(refusedCalls).map((row) => numberOf(row, which)).filter((n) =>
    n !== undefined
  );
  const forArgument = (call: keyof typeof checkedCalls, argument: number, values: readonly number[]) => {
    const number = numberOf(checkedCalls[call], which);
    if (number === undefined) return [];
    const other = `other than ${call} ${which}`;
    return [
      { ifNot: number, to: other },
      // The lower half: that is what the kernel looks at, of a family as of a request.
      { load: callData.argument(argument) },
      ...values.map((value): BpfInstruction => ({ ifEqual: value, to: refuse })),
      { jump: allow },
      other,
    ];
  };
  return [
    { ifNot: auditNames[which], to: next },
    { load: callData.number },
    ...(which === "x86_64" ? [{ ifAtLeast: x32Bit, to: refuse }] : []),
    ...numbers.map((number): BpfInstruction => ({ ifEqual: number, to: refuse })),
    ...forArgument("socket", 0, [vsockFamily]),
    ...forArgument("socketcall", 0, [socketFunction]),
    ...forArgument("ioctl", 1, typingRequests),
    { jump: allow },
    refuse,
    { answer: refused },
    allow,
    { answer: allowed },
    next,
  ];
}

/** Assembles classic BPF, the small language in which a process tells the kernel what it must not be asked for. */

/** Numbers of the system calls that a sandbox has no use for, by the interface that a program was built for. */

/** In the order of the columns below. `i386` and `arm` are what 32-bit programs use on the two others. */
export const interfaces = ["x86_64", "i386", "aarch64", "arm"] as const;

type Interface = (typeof interfaces)[number];

type Numbers = readonly [
  x86_64: number | undefined,
  i386: number | undefined,
  aarch64: number | undefined,
  arm: number | undefined,
];

const none = undefined;

/** System calls that belong to the whole machine or lead around the sandbox's walls. */
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
const checkedCalls = {
  socket: [41, 359, 198, 281],
  /** The older way to all that is done with sockets. */
  socketcall: [none, 102, none, none],
  ioctl: [16, 54, 29, 54],
} satisfies Record<string, Numbers>;

export const numberOf = (numbers: Numbers, which: Interface): number | undefined =>
  numbers[interfaces.indexOf(which)];
/** Offsets into the kernel's description of a system call (`struct seccomp_data`). */
const callData = { number: 0, processor: 4, argument: (index: number) => 16 + 8 * index };

/** A label is a text of its own in the program; jumps lead forward only. */
export type BpfInstruction =
  | string
  | { load: number }
  | { ifEqual: number; to: string }
  | { ifNot: number; to: string }
  | { ifAtLeast: number; to: string }
  | { jump: string }
  | { answer: number };

/** Opcodes of linux/bpf_common.h: class, size or operation, and that the operand is a constant. */
const opcode = { load: 0x20, jump: 0x05, ifEqual: 0x15, ifAtLeast: 0x35, answer: 0x06 };

const bytesEach = 8;

/**
 * Translates a program to the bytes that the kernel takes (`struct sock_filter`, little-endian).
 * @throws {Error} where a label is missing, lies behind, or is further away than a jump reaches
 */
export function assemble(program: readonly BpfInstruction[]): Uint8Array {
  const labels = new Map<string, number>();
  const lines: Exclude<BpfInstruction, string>[] = [];
  for (const line of program) {
    if (typeof line === "string") labels.set(line, lines.length);
    else lines.push(line);
  }
  const bytes = new DataView(new ArrayBuffer(lines.length * bytesEach));
  lines.forEach((line, index) => {
    const { code, yes, no, operand } = encoded(line, (label) => distance(labels.get(label), index, label));
    bytes.setUint16(index * bytesEach, code, true);
    bytes.setUint8(index * bytesEach + 2, yes);
    bytes.setUint8(index * bytesEach + 3, no);
    bytes.setUint32(index * bytesEach + 4, operand, true);
  });
  return new Uint8Array(bytes.buffer);
}

/** Number of instructions that a jump skips. */
function distance(target: number | undefined, from: number, label: string): number {
  if (target === undefined || target <= from) throw new Error(`Cannot jump to ${label}: it does not follow`);
  return target - from - 1;
}

/** A conditional jump has one byte for how far it goes. */
function near(distance: number): number {
  if (distance > 255) throw new Error(`Cannot jump over ${distance} lines: 255 is the most`);
  return distance;
}

function encoded(line: Exclude<BpfInstruction, string>, to: (label: string) => number) {
  if ("load" in line) return { code: opcode.load, yes: 0, no: 0, operand: line.load };
  if ("answer" in line) return { code: opcode.answer, yes: 0, no: 0, operand: line.answer };
  if ("jump" in line) return { code: opcode.jump, yes: 0, no: 0, operand: to(line.jump) };
  const distance = near(to(line.to));
  if ("ifNot" in line) return { code: opcode.ifEqual, yes: 0, no: distance, operand: line.ifNot };
  return "ifEqual" in line
    ? { code: opcode.ifEqual, yes: distance, no: 0, operand: line.ifEqual }
    : { code: opcode.ifAtLeast, yes: distance, no: 0, operand: line.ifAtLeast };
}
