/** Facts of an environment on which an installed tree hangs: what was installed in one place is not used in another. */
import type { EnvironmentAccess } from "../environment_access.ts";

export interface PlaceFacts {
  /** Lines on system, processor, C library, Node and npm; equal where the same tree runs. */
  text: string;
  /** Version of the environment's Node, such as `22.9.0`; undefined where it has none. */
  node: string | undefined;
  /** PATH of commands. */
  path: string;
  /** Packages are in the plugin's folder already. */
  hasPackages: boolean;
}

/**
 * POSIX sh. npm itself takes as long to start as all else together, so its version comes from its manifest; Node starts while
 * the rest is read.
 */
const script = `
printf 'node %s\\n' "$(node --version 2>/dev/null)" &
npm=$(command -v npm) && npm=$(readlink -f "$npm") &&
  sed -n 's/^  "version": "\\(.*\\)",$/npm \\1/p' "\${npm%/bin/*}/package.json" 2>/dev/null | head -n 1
uname -sm
[ -r /etc/os-release ] && sed -n 's/^\\(ID\\|VERSION_ID\\)=//p' /etc/os-release
getconf GNU_LIBC_VERSION 2>/dev/null || ls /lib/ld-musl-* 2>/dev/null
id -u
env | grep -i '^npm_config_' | LC_ALL=C sort
wait
printf '\\0%s\\0' "$PATH"
[ ! -e node_modules ] || printf present`;

/** Whether Node and npm are there. */
export const hasNpm = ({ node, text }: PlaceFacts): boolean => node !== undefined && /^npm \d/m.test(text);

/** @throws what the environment fails with */
export async function readPlaceFacts(env: EnvironmentAccess, folder: string): Promise<PlaceFacts> {
  const { stdout } = await env.exec(["sh", "-c", script], { cwd: folder });
  const [text = "", path = "", packages = ""] = stdout.split("\0");
  // Lines come in any order.
  const lines = text.split("\n").filter((line) => line !== "").sort();
  return {
    text: `${lines.join("\n")}\n`,
    node: /^node v(\d+\.\d+\.\d+)/m.exec(text)?.[1],
    path,
    hasPackages: packages !== "",
  };
}
