/** Provides the tools that count and read the coverage of Rust programs inside an environment. */
import { PthError } from "../../../core/errors.ts";
import type { CoverageSite } from "../collector.ts";

interface RustTools {
  /** Folder of llvm-profdata and llvm-cov that fit the compiler. */
  folder: string;
  /** Variables for cargo. */
  variables: Record<string, string>;
}

/**
 * The compiler's LLVM must be that of the tools: rustup's `llvm-tools`, or the distribution's package of that version. A
 * compiler that comes without the runtime that counts, as Debian's does, is given that of clang.
 */
const look = `major=$(rustc -vV | sed -n 's/^LLVM version: \\([0-9]*\\).*/\\1/p')
root=$(rustc --print sysroot) || exit 1
find_tools() {
  for tools in "$root"/lib/rustlib/*/bin /usr/lib/llvm-$major/bin; do
    [ -x "$tools/llvm-cov" ] && [ -x "$tools/llvm-profdata" ] && return
  done
  return 1
}
find_runtime() {
  runtime=rustc
  ls "$root"/lib/rustlib/*/lib/libprofiler_builtins-* >/dev/null 2>&1 && return
  runtime=$(find /usr/lib/llvm-$major -name "libclang_rt.profile-$(uname -m).a" 2>/dev/null | head -n 1)
  [ -n "$runtime" ]
}
fetch() {
  [ "$1" = isolated ] || return
  rustup component add llvm-tools >&2 ||
    { apt-get update -qq && apt-get install -y -qq --no-install-recommends llvm-$major libclang-rt-$major-dev; } >&2
}
{ find_tools && find_runtime; } || { fetch "$1" && find_tools && find_runtime; } || exit 1
echo "$tools"
echo "$runtime"`;

/** @throws {PthError} `UNSUPPORTED` */
export async function provideTools({ isolated, exec }: CoverageSite): Promise<RustTools> {
  const { code, stdout, stderr } = await exec(["sh", "-c", look, "sh", isolated ? "isolated" : "host"], {
    timeoutMs: 180_000,
  });
  const [folder, runtime] = stdout.trim().split("\n");
  if (code === 0 && folder !== undefined && runtime !== undefined) {
    return { folder, variables: variables(runtime) };
  }
  throw new PthError(
    "UNSUPPORTED",
    "llvm-cov and llvm-profdata of the Rust compiler's LLVM are not in the environment",
    {
      output: stderr,
      next: ["Add them to the environment: rustup component add llvm-tools"],
    },
  );
}

/** Counters are kept in the file itself, so that a stretch can be read while the server runs. */
function variables(runtime: string): Record<string, string> {
  const flags = ["-C instrument-coverage", "-C llvm-args=-runtime-counter-relocation"];
  if (runtime === "rustc") return { RUSTFLAGS: flags.join(" ") };
  // That the compiler's own runtime is not wanted can be said to a nightly compiler only, or with this variable.
  const foreign = ["-Z no-profiler-runtime", `-C link-arg=${runtime}`, "-C link-arg=-lc"];
  return { RUSTFLAGS: [...flags, ...foreign].join(" "), RUSTC_BOOTSTRAP: "1" };
}

/** Lines and functions of lcov's records, as llvm-cov writes them. */
export interface LcovFile {
  /** Hits by line. */
  lines: Map<number, number>;
  /** Hits by first line: a function that is compiled for several types is reported several times. */
  functions: Map<number, number>;
}

/** By path, as it was written. */
export function readLcov(text: string): Map<string, LcovFile> {
  const files = new Map<string, LcovFile>();
  let file: LcovFile = { lines: new Map(), functions: new Map() };
  let starts = new Map<string, number>();
  const add = (counts: Map<number, number>, line: number | undefined, hits: number): void => {
    if (line === undefined || !Number.isSafeInteger(line) || !Number.isSafeInteger(hits)) return;
    counts.set(line, (counts.get(line) ?? 0) + hits);
  };
  for (const record of text.split("\n")) {
    const [, kind, rest = ""] = /^([A-Z]+):(.*)$/.exec(record) ?? [];
    const [first = "", second = ""] = rest.split(/,(.*)/);
    if (kind === "SF") {
      file = { lines: new Map(), functions: new Map() };
      starts = new Map();
      files.set(rest, file);
    } else if (kind === "FN") starts.set(second, Number(first));
    else if (kind === "FNDA") add(file.functions, starts.get(second), Number(first));
    else if (kind === "DA") add(file.lines, Number(first), Number(second));
  }
  return files;
}
