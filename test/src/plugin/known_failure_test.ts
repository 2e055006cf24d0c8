import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { knownFailure } from "../../../src/plugin/known_failure.ts";

/** Outputs of npm 11, pip 23, node-gyp 12 and Cargo 1.95 as they came, but for names of hosts and folders. */
const folder = join(import.meta.dirname!, "../../fixtures/install_failures");

const causes: Record<string, [cause: string, next: RegExp]> = {
  browser: [
    "the script of a package cannot download from googlechromelabs.github.io",
    /PUPPETEER_SKIP_DOWNLOAD/,
  ],
  cargo_index: ["no registry was reached", /network/],
  cargo_linker: ["something is compiled here, and the compiler is missing (cc)", /apt-get install -y gcc/],
  cargo_rustc: ["a package wants a newer Rust: requires rustc 1.999", /newer Rust/],
  e401: ["the registry wants credentials (E401)", /NPM_TOKEN/],
  e404: ["the registry has no left-padd-nope-xyz@1", /spelled/],
  eacces: ["a file cannot be written: /work/plugin/node_modules", /who owns/],
  ebadengine: ['another version of Node or npm is needed: {"node":">=99"}', /Node that fits/],
  ebadplatform: [
    'a package does not run on this system: fsevents@2.3.3: wanted {"os":"darwin"} (current: {"os":"linux"})',
    /optionalDependencies/,
  ],
  enospc: ["the environment's disk is full", /--disk/],
  eresolve: ["peer dependencies conflict (ERESOLVE)", /legacy-peer-deps/],
  etarget: ["the registry has no left-pad@99.0.0", /spelled/],
  gyp_headers: [
    "a package is compiled here (node-gyp), and the headers of Node cannot be downloaded",
    /nodedir/,
  ],
  gyp_no_compiler: [
    "something is compiled here, and the compiler is missing (g++)",
    /apt-get install -y gcc/,
  ],
  gyp_no_make: ["a package is compiled here (node-gyp), and make is missing", /make g\+\+/],
  gyp_no_python: ["a package is compiled here (node-gyp), and Python is missing", /python3/],
  pip_compiler: ["something is compiled here, and the compiler is missing (gcc)", /apt-get install -y gcc/],
  pip_header: ["something is compiled here, and the header libpq-fe.h of a library is missing", /-dev/],
  pip_python: ["the package wants another Python: 3.11.7 not in '>=3.99'", /Python that fits/],
  pip_version: ["the package index has no nope-nope-xyz==99 for this Python and system", /PIP_INDEX_URL/],
  prebuilt: ["a package is compiled here (node-gyp), and Python is missing", /python3/],
  shared_library: ["the shared library ./libvips-cpp.so.42 is missing", /package that holds it/],
};

for (const [name, [cause, next]] of Object.entries(causes)) {
  t.test(`the failure of an install is named with what to do: ${name}`, async (t) => {
    const known = knownFailure(await readFile(join(folder, `${name}.txt`), "utf8"));
    t.equal(known?.cause, cause);
    t.match(JSON.stringify(known?.next), next);
  });
}

t.test("each recorded output has its expected cause", async (t) => {
  const recorded = (await readdir(folder)).map((file) => file.replace(/\.txt$/, ""));
  t.same(recorded.sort(), Object.keys(causes).sort());
});

t.test("an output that shows nothing of the kind has no cause, and one of a plugin's own is shown as plain text", (t) => {
  t.equal(knownFailure("src/index.ts(3,1): error TS2304: Cannot find name 'x'."), undefined);
  t.notOk(knownFailure("fatal error: \x1b[2Jx.h: No such file")?.cause.includes("\x1b"));
  t.end();
});
