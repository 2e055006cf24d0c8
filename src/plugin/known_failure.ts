/** Known ends of installs and builds: what the output shows, the cause in few words, and what to do. */
import type { NextStep } from "../core/next_step.ts";
import { plainLine } from "../core/text.ts";

interface KnownFailure {
  /** The cause, as the clause of a sentence; undefined where the output shows another one. */
  find(output: string): string | undefined;
  next: readonly NextStep[];
}

/** Output of installers and resolvers when the network cannot be reached; it may be a moment's failure. */
export const networkWords =
  /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|Temporary failure in name resolution|Could not resolve host|NewConnectionError|Network is unreachable/;

/** Makes a row of a pattern; `$1` stands for what it caught. */
const row = (pattern: RegExp, cause: string, ...next: NextStep[]): KnownFailure => ({
  find(output) {
    const found = pattern.exec(output);
    if (found === null) return undefined;
    const caught = found.slice(1).find((part) => part !== undefined) ?? "";
    return cause.replace("$1", () => plainLine(caught).slice(0, 120));
  },
  next,
});

/** Commands of a setup script, which runs before the install. */
const setup = (apt: string): NextStep => ({
  terminal:
    `Install it first, in the file of --config: fixtures: { setup_scripts: ["apt-get update && apt-get install -y ${apt}"] }`,
  mcp:
    `Install it first: pth_reprovision_environment({ fixtures: { setupScripts: ["apt-get update && apt-get install -y ${apt}"] } })`,
});

const otherImage: NextStep = {
  terminal: "Or choose an image that has it (--image)",
  mcp: "Or choose an image that has it (baseImage)",
};

const hostOf = /(?:ENOTFOUND|EAI_AGAIN) ([\w.-]+)|ECONNREFUSED ([\w.:-]+)|https?:\/\/(?:[^@\s/]*@)?([\w.-]+)/;

/** The script of a package that npm ran, and no request of npm's own. */
const scriptFailed = /npm (?:error|ERR!) command sh -c/;

/** In the order in which causes count: what is missing before what went wrong for want of it. */
const failures: readonly KnownFailure[] = [
  row(
    /gyp ERR! find Python|Could not find any Python installation/,
    "a package is compiled here (node-gyp), and Python is missing",
    setup("python3 make g++"),
    otherImage,
  ),
  row(
    /gyp ERR! stack Error: not found: (make)/,
    "a package is compiled here (node-gyp), and $1 is missing",
    setup("python3 make g++"),
    otherImage,
  ),
  row(
    /make: (?:\S+\/)?(g\+\+|gcc|cc|c\+\+|clang\+\+|clang): No such file|\b(g\+\+|gcc|cc|c\+\+|clang): not found|No such file or directory: '(?:\S*\/)?(\S*(?:gcc|g\+\+|cc|clang))'|linker `(cc|gcc|clang)` not found|command '(\S*gcc)' failed: No such file|unable to execute '(\S*gcc)'/,
    "something is compiled here, and the compiler is missing ($1)",
    setup("gcc g++ make"),
    otherImage,
  ),
  row(
    /gyp ERR! stack is related to network connectivity/,
    "a package is compiled here (node-gyp), and the headers of Node cannot be downloaded",
    {
      terminal: "Where the image has them, name their folder: --var npm_config_nodedir=/usr",
      mcp:
        'Where the image has them, name their folder: pth_load_plugin({ configValues: { npm_config_nodedir: "/usr" } })',
    },
    "Or allow the environment the network that node-gyp needs",
  ),
  row(
    /fatal error: (\S+\.h(?:pp|xx)?): No such file/,
    "something is compiled here, and the header $1 of a library is missing",
    "Install the library's development package (-dev, -devel) in a setup script (fixtures.setupScripts), or choose an image that has it",
  ),
  row(
    /error while loading shared libraries: (\S+?):|ImportError: (lib\S+?): cannot open shared object|(lib\S+\.so[.\d]*): cannot open shared object file/,
    "the shared library $1 is missing",
    "Install the package that holds it in a setup script (fixtures.setupScripts), or choose an image that has it",
  ),
  {
    find(output) {
      if (!scriptFailed.test(output) || !networkWords.test(output)) return undefined;
      const host = hostOf.exec(output.slice(output.search(networkWords)))?.slice(1).find((part) =>
        part !== undefined
      );
      return `the script of a package cannot download from ${host ?? "its server"}`;
    },
    next: [
      "Allow the environment to reach that host; npm's registry is not enough for this package",
      {
        terminal:
          "Or, where the server works without it, set the variable that skips the download, often named in the output: --var PUPPETEER_SKIP_DOWNLOAD=1",
        mcp:
          'Or, where the server works without it, set the variable that skips the download: pth_load_plugin({ configValues: { PUPPETEER_SKIP_DOWNLOAD: "1" } })',
      },
    ],
  },
  row(
    /Unsupported platform for ([^\n]+)/,
    "a package does not run on this system: $1",
    "Declare it under optionalDependencies, if the plugin works without it; else test on the system that it names",
  ),
  row(
    /(?:notsup|engine)[^\n]*Required: ([^\n]+)/,
    "another version of Node or npm is needed: $1",
    {
      terminal: "Choose an image with a Node that fits (--image)",
      mcp: "Choose an image with a Node that fits (baseImage)",
    },
  ),
  row(
    /code (E401|E403|ENEEDAUTH)\b/,
    "the registry wants credentials ($1)",
    {
      terminal:
        "Name the token's variable in the plugin's .npmrc (_authToken=${NPM_TOKEN}) and give it: --secret NPM_TOKEN",
      mcp:
        "Name the token's variable in the plugin's .npmrc (_authToken=${NPM_TOKEN}) and give it: pth_load_plugin({ secrets: [\"NPM_TOKEN\"] })",
    },
  ),
  row(
    /404\s+(?:The requested resource )?'([^'\n]+)' (?:could not be found|is not in)|No matching version found for (\S+?)\.?\s/,
    "the registry has no $1",
    "See how the dependency and its version are spelled in package.json, and that the registry is the right one",
  ),
  row(
    /ERESOLVE/,
    "peer dependencies conflict (ERESOLVE)",
    {
      terminal: 'Install all the same: --install "npm install --legacy-peer-deps"',
      mcp: 'Install all the same: pth_load_plugin({ install: "npm install --legacy-peer-deps" })',
    },
    "Or make the versions in package.json fit each other, as the output tells",
  ),
  row(
    /(EUNSUPPORTEDPROTOCOL|Unsupported URL Type "workspace:)/,
    "the project needs another package manager ($1)",
    {
      terminal: '--install "corepack pnpm install"',
      mcp: 'pth_load_plugin({ install: "corepack pnpm install" })',
    },
  ),
  row(
    /(ENOSPC|no space left)/i,
    "the environment's disk is full",
    { terminal: "Give it more: --disk 20g", mcp: "Give it more (resources.diskGB)" },
  ),
  ...[/(?:EACCES|EPERM): [^\n]*?'([^'\n]+)'|Permission denied: '?([^'\n]+)/, /\b(EACCES|EPERM)\b/].map((
    pattern,
  ) =>
    row(
      pattern,
      "a file cannot be written: $1",
      "See who owns the files of the plugin, and as which user the environment runs",
    )
  ),
  row(
    /(CERT_\w+|SELF_SIGNED\w*|certificate verify failed|unable to get local issuer certificate)/i,
    "a certificate was not trusted ($1)",
    "Set NODE_EXTRA_CA_CERTS or PIP_CERT on the host",
  ),
  row(
    /requires a different Python: ([^\n]+)/,
    "the package wants another Python: $1",
    {
      terminal: "Choose an image with a Python that fits (--image)",
      mcp: "Choose an image with a Python that fits (baseImage)",
    },
  ),
  row(
    /No matching distribution found for (\S+)/,
    "the package index has no $1 for this Python and system",
    "See how it and its version are spelled, that a release fits the environment's Python, and PIP_INDEX_URL",
  ),
  row(
    /(requires rustc [\d.]+)/,
    "a package wants a newer Rust: $1",
    "Install a newer Rust in a setup script (fixtures.setupScripts), or choose an image that has it",
  ),
  row(
    networkWords,
    "no registry was reached",
    "Check the environment's network and proxy settings",
  ),
];

/** The cause that counts most, and what to do about it; undefined where none is known. */
export function knownFailure(output: string): { cause: string; next: readonly NextStep[] } | undefined {
  for (const { find, next } of failures) {
    const cause = find(output);
    if (cause !== undefined) return { cause, next };
  }
  return undefined;
}
