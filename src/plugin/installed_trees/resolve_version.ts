/** Asks the registry, from inside the environment, which version of a package a range or a tag means now. */
import { isObject, jsonIn } from "../../core/values.ts";
import type { EnvironmentAccess } from "../environment_access.ts";

export interface ResolvedPackage {
  version: string;
  /** Range of Node versions that the package asks for. */
  node?: string;
}

/** Limit in ms of the whole question. */
const answersWithin = 15_000;

/**
 * POSIX sh; arguments: package, version or tag or range, program for Node. Where no file of npm's names a registry or a
 * proxy, the registry (npm's own default, unless a variable names another) is asked for a tag or a version directly, which
 * takes a quarter of what npm takes to start.
 */
const script = `
registry=$npm_config_registry
npm=$(command -v npm) && npm=$(readlink -f "$npm")
[ -n "$registry" ] || registry=$(sed -n "/efin[a-z]*('registry'/,/default:/s/.*default: '\\(https[^']*\\)'.*/\\1/p" \
  "\${npm%/bin/*}/node_modules/@npmcli/config/lib/definitions/definitions.js" 2>/dev/null)
for file in "$HOME/.npmrc" /etc/npmrc /usr/etc/npmrc /usr/local/etc/npmrc; do ! grep -qsE 'registry|proxy' "$file" || registry=; done
case "$2" in *[!A-Za-z0-9.+-]*) registry= ;; esac
[ -z "$HTTPS_PROXY$https_proxy$HTTP_PROXY$http_proxy$npm_config_proxy$npm_config_https_proxy" ] || registry=
if [ -n "$registry" ] && node -e "$3" "$registry" "$1" "$2"; then exit 0; fi
npm view "$1@$2" name version engines --json --loglevel=error --fetch-retries=0`;

/** Prints the version's manifest; any failure leaves the question to npm. `fetch` would take twice as long to load. */
const program = `
const { argv, exit } = require("node:process");
const [registry, name, version] = argv.slice(1);
const url = new URL(name.replace("/", "%2f") + "/" + version, registry + (registry.endsWith("/") ? "" : "/"));
const fail = () => exit(1);
setTimeout(fail, 5000);
require(url.protocol === "http:" ? "node:http" : "node:https").get(url, (answer) => {
  if (answer.statusCode !== 200) fail();
  let text = "";
  answer.setEncoding("utf8").on("error", fail).on("data", (part) => text += part).on("end", () => {
    const { version, engines } = JSON.parse(text);
    if (typeof version !== "string") fail();
    console.log(JSON.stringify({ version, engines }));
    exit(0);
  });
}).on("error", fail);`;

/** @returns undefined where no registry is reached, "unknown" where it has no such version */
export async function resolveVersion(
  env: EnvironmentAccess,
  name: string,
  asked: string,
  signal?: AbortSignal,
): Promise<ResolvedPackage | "unknown" | undefined> {
  const limit = AbortSignal.timeout(answersWithin);
  try {
    const { code, stdout, stderr } = await env.exec(["sh", "-c", script, "sh", name, asked, program], {
      cwd: "/",
      env: { npm_config_update_notifier: "false" },
      maxBytes: 1024 * 1024,
      signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
    });
    if (code === 0) return readAnswer(stdout) ?? "unknown";
    return /\b(?:E404|ETARGET)\b/.test(stdout + stderr) ? "unknown" : undefined;
  } catch (error) {
    signal?.throwIfAborted();
    if (limit.aborted) return undefined;
    throw error;
  }
}

/** npm lists all versions that a range allows, the highest last; the registry answers one. */
export function readAnswer(text: string): ResolvedPackage | undefined {
  const value = jsonIn(text);
  const found = Array.isArray(value) ? value.at(-1) : value;
  if (!isObject(found) || typeof found.version !== "string" || !isVersion(found.version)) return undefined;
  const node = nodeOf(found.engines);
  return { version: found.version, ...(node === undefined ? {} : { node }) };
}

/** Range of Node versions in the `engines` of a manifest. */
export function nodeOf(engines: unknown): string | undefined {
  const node = isObject(engines) ? engines.node : undefined;
  return typeof node === "string" && node.length < 200 ? node : undefined;
}

/** True for a version that is whole, and so means the same always. */
export const isVersion = (text: string): boolean => /^\d+\.\d+\.\d+(?:[-+][\w.+-]+)?$/.test(text);
