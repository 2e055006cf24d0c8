import t from "tap";
import {
  assemble,
  type BpfInstruction,
  interfaces,
  isKnownProcessor,
  numberOf,
  refusedCalls,
  systemCallFilter,
} from "../../../../src/runtimes/sandbox/confine/filter.ts";
const audit = { x86_64: 0xc000003e, i386: 0x40000003, aarch64: 0xc00000b7, arm: 0x40000028 };
const allowed = 0x7fff0000;
const refused = 0x00050001;

/** What the kernel would answer: runs the program as linux/filter.h says. */
function answer(program: Uint8Array, processor: number, number: number, args: bigint[] = []): number {
  const data = new DataView(new ArrayBuffer(64));
  data.setUint32(0, number, true);
  data.setUint32(4, processor, true);
  args.forEach((value, index) => data.setBigUint64(16 + 8 * index, value, true));
  const code = new DataView(program.buffer);
  let value = 0;
  for (let at = 0; at * 8 < code.byteLength; at++) {
    const operand = code.getUint32(at * 8 + 4, true);
    const skip = (holds: boolean) => at += code.getUint8(at * 8 + (holds ? 2 : 3));
    switch (code.getUint16(at * 8, true)) {
      case 0x20:
        value = data.getUint32(operand, true);
        break;
      case 0x15:
        skip(value === operand);
        break;
      case 0x35:
        skip(value >= operand);
        break;
      case 0x05:
        at += operand;
        break;
      case 0x06:
        return operand;
      default:
        throw new Error("no such instruction");
    }
  }
  throw new Error("ran over its end");
}

for (const [processor, which] of [["x64", ["x86_64", "i386"]], ["arm64", ["aarch64", "arm"]]] as const) {
  const program = systemCallFilter(processor);
  t.test(`what reaches beyond a box is refused on ${processor}, by either interface`, (t) => {
    for (const one of which) {
      for (const [name, numbers] of Object.entries(refusedCalls)) {
        const number = numberOf(numbers, one);
        if (number !== undefined) t.equal(answer(program, audit[one], number), refused, `${one} ${name}`);
      }
    }
    t.end();
  });

  t.test(`everything else goes through on ${processor}`, (t) => {
    for (const one of which) {
      const known = Object.values(refusedCalls).map((numbers) => numberOf(numbers, one));
      for (let number = 0; number < 470; number++) {
        if (!known.includes(number)) {
          t.equal(answer(program, audit[one], number), allowed, `${one} ${number}`);
        }
      }
    }
    t.end();
  });

  t.test(`a program of another interface gets nothing on ${processor}`, (t) => {
    const foreign = interfaces.filter((one) => !(which as readonly string[]).includes(one));
    for (const one of foreign) t.equal(answer(program, audit[one], 0), refused);
    t.end();
  });
}

t.test("VM sockets and typing into a terminal are refused, their neighbours are not", (t) => {
  const x64 = systemCallFilter("x64");
  const arm64 = systemCallFilter("arm64");
  const cases = [[x64, audit.x86_64, 41, 16], [x64, audit.i386, 359, 54], [
    arm64,
    audit.aarch64,
    198,
    29,
  ]] as const;
  for (const [program, processor, socket, ioctl] of cases) {
    const call = (number: number, ...args: bigint[]) => answer(program, processor, number, args);
    t.equal(call(socket, 40n), refused, "AF_VSOCK");
    t.equal(call(socket, (7n << 32n) | 40n), refused, "the kernel looks at the lower half only");
    for (const family of [1n, 2n, 10n, 16n, 39n, 41n]) {
      t.equal(call(socket, family), allowed, `family ${family}`);
    }
    t.equal(call(ioctl, 0n, 0x5412n), refused, "TIOCSTI");
    t.equal(call(ioctl, 40n, 0x5413n), allowed, "TIOCGWINSZ");
  }
  t.equal(answer(x64, audit.i386, 102, [1n]), refused, "a socket of a family that cannot be seen");
  t.equal(answer(x64, audit.i386, 102, [3n]), allowed, "to connect one");
  t.equal(answer(x64, audit.x86_64, 0x40000000 + 1), refused, "the x32 interface");
  t.end();
});

t.test("a program that cannot be right is not assembled", (t) => {
  const far: BpfInstruction[] = [
    { ifEqual: 1, to: "end" },
    ...Array.from({ length: 256 }, () => ({ load: 0 })),
    "end",
    { answer: 0 },
  ];
  t.throws(() => assemble(far), /255/);
  t.throws(() => assemble(["start", { jump: "start" }]), /does not follow/);
  t.throws(() => assemble([{ jump: "nowhere" }]), /does not follow/);
  t.equal(isKnownProcessor("mips"), false);
  t.equal(isKnownProcessor("constructor"), false);
  t.throws(() => systemCallFilter("mips"), RangeError);
  t.end();
});
