/** Updates npm's lockfile after a change of the manifest: `npm ci` refuses to run if the two differ. */
import { PthError } from "../core/errors.ts";
import type { EnvironmentAccess } from "./environment_access.ts";
import { npmInstall } from "./build_system.ts";

/** Works on copies: neither the lockfile nor what is installed changes. The new manifest is on stdin. */
const script = `
set -e
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cp "$1/$2" "$copy/$2"
[ ! -f "$1/.npmrc" ] || cp "$1/.npmrc" "$copy/.npmrc"
cat > "$copy/package.json"
cd "$copy"
${npmInstall} --package-lock-only --ignore-scripts >&2
cat "$2"`;

interface LockfileOptions {
  /** For example a registry's token that `.npmrc` refers to. */
  variables?: Record<string, string>;
  signal?: AbortSignal;
}

/**
 * The lockfile's text as it fits the manifest.
 * @param folder inside the environment, with the lockfile as it was
 * @param lockfile `package-lock.json` or `npm-shrinkwrap.json`
 * @param manifest text of the new `package.json`
 * @throws {PthError} `INSTALL_FAILED` with npm's output
 */
export async function refreshLockfile(
  env: EnvironmentAccess,
  folder: string,
  lockfile: string,
  manifest: string,
  { variables = {}, signal }: LockfileOptions = {},
): Promise<string> {
  const { code, stdout, stderr, truncated } = await env.exec(["sh", "-c", script, "sh", folder, lockfile], {
    cwd: "/",
    env: { npm_config_update_notifier: "false", ...variables },
    stdin: manifest,
    ...(signal === undefined ? {} : { signal }),
  });
  if (code === 0 && !truncated) return stdout;
  const why = code === 0 ? "it is too large" : `npm exited with ${code}`;
  throw new PthError("INSTALL_FAILED", `Cannot update ${lockfile} to match package.json: ${why}`, {
    output: stderr,
    tried: [`${npmInstall} --package-lock-only --ignore-scripts`],
  });
}
