/** Programs that build systems need, installed on demand from the environment's package manager. */
import { PthError } from "../core/errors.ts";
import type { EnvironmentAccess } from "./environment_access.ts";

interface Toolchain {
  /** Shell command that succeeds when it is there. */
  check: string;
  apt: string;
  dnf: string;
  apk: string;
}

const program = (name: string) => `command -v ${name}`;

const toolchains: Record<string, Toolchain> = {
  npm: {
    check: `${program("node")} && ${program("npm")}`,
    apt: "nodejs npm",
    dnf: "nodejs npm",
    apk: "nodejs npm",
  },
  python3: {
    check: "python3 -c 'import venv' && { python3 -m pip --version || python3 -c 'import ensurepip'; }",
    apt: "python3 python3-venv python3-pip python3-setuptools python3-wheel",
    dnf: "python3 python3-pip python3-setuptools python3-wheel",
    apk: "python3 py3-pip py3-setuptools py3-wheel",
  },
  make: { check: program("make"), apt: "make", dnf: "make", apk: "make" },
  cc: {
    check: `${program("cc")} || ${program("gcc")}`,
    apt: "gcc libc6-dev",
    dnf: "gcc",
    apk: "gcc musl-dev",
  },
  "c++": { check: `${program("c++")} || ${program("g++")}`, apt: "g++", dnf: "gcc-c++", apk: "g++" },
  cmake: { check: program("cmake"), apt: "cmake", dnf: "cmake", apk: "cmake" },
  cargo: { check: program("cargo"), apt: "cargo", dnf: "cargo", apk: "cargo" },
  go: { check: program("go"), apt: "golang-go", dnf: "golang", apk: "go" },
  javac: {
    check: program("javac"),
    apt: "default-jdk-headless",
    dnf: "java-latest-openjdk-devel",
    apk: "openjdk21-jdk",
  },
  mvn: { check: program("mvn"), apt: "maven", dnf: "maven", apk: "maven" },
  gradle: { check: program("gradle"), apt: "gradle", dnf: "gradle", apk: "gradle" },
  ruby: { check: program("ruby"), apt: "ruby", dnf: "ruby", apk: "ruby" },
  dotnet: { check: program("dotnet"), apt: "dotnet-sdk-8.0", dnf: "dotnet-sdk-8.0", apk: "dotnet8-sdk" },
};

const aliases: Record<string, string> = {
  node: "npm",
  npx: "npm",
  python: "python3",
  pip: "python3",
  gcc: "cc",
  "g++": "c++",
  java: "javac",
};

/** Toolchains that commands call for by their words: "cargo build" needs cargo. */
export function toolchainsOf(commands: readonly string[]): string[] {
  const words = commands.flatMap((command) => command.split(/[\s;&|()]+/));
  return [
    ...new Set(words.map((word) => aliases[word] ?? word).filter((word) => Object.hasOwn(toolchains, word))),
  ];
}

/** Package managers in the order in which they are looked for. */
const managers = {
  apt: (packages: string) =>
    `apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends ${packages}`,
  dnf: (packages: string) => `dnf install -y -q ${packages}`,
  apk: (packages: string) => `apk add --quiet ${packages}`,
};
type Manager = keyof typeof managers;

interface ToolchainOptions {
  signal?: AbortSignal;
  onOutput?: (text: string, stream: "stdout" | "stderr") => void;
}

/**
 * Makes sure that the toolchains are there; installs only what is missing, and nothing on the bare host.
 * @returns names of those that were installed
 * @throws {PthError} `TOOLCHAIN_MISSING` naming what is missing and how to get it
 */
export async function ensureToolchains(
  env: EnvironmentAccess,
  names: readonly string[],
  options: ToolchainOptions = {},
): Promise<string[]> {
  const missing = await missingOf(env, names);
  if (missing.length === 0) return [];
  const manager = await managerOf(env);
  if (!env.isolated || manager === undefined) throw notInstallable(env, missing, manager);
  const command = installCommand(manager, missing);
  const result = await env.exec(["sh", "-c", command], { cwd: "/", ...options });
  const still = result.code === 0 ? await missingOf(env, missing) : missing;
  if (still.length === 0) return missing;
  throw new PthError("TOOLCHAIN_MISSING", `Cannot install ${still.join(", ")}: exited with ${result.code}`, {
    output: result.stdout + result.stderr,
    tried: [command],
    next: [
      { terminal: "Choose an image that has it (--image)", mcp: "Choose an image that has it (baseImage)" },
      "Or install it in a setup script (fixtures.setupScripts)",
    ],
  });
}

async function missingOf(env: EnvironmentAccess, names: readonly string[]): Promise<string[]> {
  const known = names.filter((name) => Object.hasOwn(toolchains, name));
  if (known.length === 0) return [];
  const script = known.map((name) => `{ ${toolchains[name]!.check}; } >/dev/null 2>&1 || echo '${name}'`)
    .join("\n");
  const { stdout } = await env.exec(["sh", "-c", script]);
  return stdout.split("\n").filter((name) => name !== "");
}

async function managerOf(env: EnvironmentAccess): Promise<Manager | undefined> {
  const script = "for m in apt-get dnf apk; do command -v $m >/dev/null && echo $m && break; done; true";
  const { stdout } = await env.exec(["sh", "-c", script]);
  const found = stdout.trim().replace("apt-get", "apt");
  return found in managers ? found as Manager : undefined;
}

const installCommand = (manager: Manager, names: string[]): string =>
  managers[manager](names.map((name) => toolchains[name]![manager]).join(" "));

function notInstallable(env: EnvironmentAccess, missing: string[], manager: Manager | undefined): PthError {
  const where = env.isolated ? "the environment has no package manager" : "PTH installs nothing on the host";
  return new PthError(
    "TOOLCHAIN_MISSING",
    `Cannot build plugin: ${missing.join(", ")} missing, and ${where}`,
    {
      missing,
      next: [
        ...(manager ? [`Install it yourself: ${installCommand(manager, missing)}`] : []),
        env.isolated
          ? {
            terminal: "Choose an image that has it (--image)",
            mcp: "Choose an image that has it (baseImage)",
          }
          : {
            terminal: "Use an isolated environment: --env docker or sandbox",
            mcp:
              'Use an isolated environment: pth_reprovision_environment({ runtime: "docker" }), or "sandbox"',
          },
      ],
    },
  );
}
