/** The filter of system calls that everything in a box runs under. */
import { assemble, type BpfInstruction, callData } from "./assemble.ts";
import { checkedCalls, type Interface, numberOf, refusedCalls } from "./refused_calls.ts";

/** Processors as Node names them, each with the interfaces that its kernel may offer. */
const processors: Record<string, readonly Interface[]> = {
  x64: ["x86_64", "i386"],
  arm64: ["aarch64", "arm"],
};

/** How the kernel names an interface (linux/audit.h). */
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

/** Everything about one interface; goes on behind it for a call of another one. */
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
