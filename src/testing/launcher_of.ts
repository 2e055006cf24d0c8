/** Known programs that start a server as another process, and end by SIGTERM without it. */
import { basename } from "node:path";

const shells = ["sh", "ash", "bash", "dash", "fish", "ksh", "zsh"];
const packageRunners = [
  ...["npm", "npx", "pnpm", "pnpx", "yarn", "bunx", "uv", "uvx", "pipx", "pipenv", "poetry", "hatch", "pdm"],
  ...[
    "rye",
    "conda",
    "mamba",
    "bundle",
    "dotnet",
    "go",
    "cargo",
    "make",
    "just",
    "tsx",
    "nodemon",
    "docker",
    "podman",
  ],
];
/** Programs that become the command that follows them. */
const prefixes = ["env", "exec", "nice", "nohup", "stdbuf", "setsid"];
const launchers = new Set([
  ...shells,
  ...packageRunners,
  "sudo",
  "su",
  "timeout",
  "xvfb-run",
  "mise",
  "volta",
]);
/** Entries of package managers that Node runs. */
const managerScript = /\/(?:npm|npx|pnpm|pnpx|yarn)(?:-cli)?\.c?js$/;

/**
 * The launcher in a server's command; undefined where the command is the server. A signal to a launcher's process alone does
 * not reach the server, which is no fault of the server's.
 */
export function launcherOf(command: readonly string[]): string | undefined {
  const at = command.findIndex((word) => !/^-|^\w+=/.test(word) && !prefixes.includes(basename(word)));
  const [program, script] = command.slice(Math.max(at, 0));
  if (program === undefined) return undefined;
  const name = basename(program);
  if (launchers.has(name)) return name;
  const manager = managerScript.exec(script ?? "")?.[0];
  return /^(?:node|nodejs)$/.test(name) && manager !== undefined ? basename(manager) : undefined;
}
