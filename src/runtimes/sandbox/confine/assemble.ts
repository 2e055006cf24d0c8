/** Assembles classic BPF, the small language in which a process tells the kernel what it must not be asked for. */

/** Offsets into the kernel's description of a system call (`struct seccomp_data`). */
export const callData = { number: 0, processor: 4, argument: (index: number) => 16 + 8 * index };

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

/** How many lines a jump skips. */
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
