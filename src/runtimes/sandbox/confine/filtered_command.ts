/**
 * Puts a sandbox's processes under the filter of system calls: a few lines of Perl, which is there wherever git is, takes a
 * millisecond, and becomes the program that follows. Bubblewrap could do it for the sandbox's first process only, and
 * `setpriv --seccomp-filter` is too new (util-linux 2.42). A process also leaves the session keyring that it inherited.
 */
import { Buffer } from "node:buffer";
import { arch } from "node:os";
import { errorMessage } from "../../../core/errors.ts";
import { firstLine } from "../../../core/text.ts";
import { runCommand } from "../../../platform/process.ts";
import { isKnownProcessor, systemCallFilter } from "./filter.ts";

/** Numbers of the calls that the launcher itself makes, by Node's name of the processor. */
const launcherCalls: Record<string, { keyctl: number; prctl: number; seccomp: number }> = {
  x64: { keyctl: 250, prctl: 157, seccomp: 317 },
  arm64: { keyctl: 219, prctl: 167, seccomp: 277 },
};

/**
 * Takes the three numbers, the filter in hexadecimal, and the command. A new keyring may be refused (none left of the user's
 * quota, or PTH itself is in a container): the filter refuses every use of the old one as well.
 */
const script = `my ($keyctl, $prctl, $seccomp) = map { $_ + 0 } splice @ARGV, 0, 3;
my $filter = pack "H*", shift;
syscall $keyctl, 1, 0, 0, 0, 0;
syscall($prctl, 38, 1, 0, 0, 0) == 0 or die "Cannot give up new privileges: $!\\n";
my $program = pack "S x6 P", length($filter) / 8, $filter;
syscall($seccomp, 1, 0, $program) == 0 or die "Cannot filter system calls: $!\\n";
exec { $ARGV[0] } @ARGV or die "Cannot start $ARGV[0]: $!\\n";`;

/**
 * Words before a command that runs it, and all that it starts, under the filter, with a session keyring of its own, and without
 * privileges to be gained from a file. They are to be started without variables of a plugin's: Perl obeys some.
 */
export function filteredCommand(processor: string = arch()): string[] {
  const { keyctl, prctl, seccomp } = launcherCalls[processor]!;
  const filter = Buffer.from(systemCallFilter(processor)).toString("hex");
  return ["perl", "-e", script, ...[keyctl, prctl, seccomp].map(String), filter];
}

let known: Promise<string | undefined> | undefined;

/**
 * Reason why nothing can be filtered on this machine; undefined where it can. The answer is stored for the
 * life of this process.
 */
export function unfilteredReason(): Promise<string | undefined> {
  return known ??= findOut(arch());
}

async function findOut(processor: string): Promise<string | undefined> {
  if (!isKnownProcessor(processor)) return `there is no filter for processor ${processor}`;
  try {
    const { code, stderr } = await runCommand([...filteredCommand(processor), "true"]);
    return code === 0 ? undefined : firstLine(stderr) || "Perl failed";
  } catch (error) {
    return errorMessage(error);
  }
}
