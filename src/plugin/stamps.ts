/** Tells whether what was installed still fits: a hash of manifests, lockfiles, command and image in the cache itself. */
import { createHash } from "node:crypto";
import type { PluginPlan } from "../../machines/model/plugin.ts";
import { PthError } from "../core/errors.ts";
import type { EnvironmentAccess } from "./environment_access.ts";

/** Files that say what an install has to bring. */
export const manifests = [
  "package.json",
  "package-lock.json",
  "npm-shrinkwrap.json",
  "pnpm-lock.yaml",
  "yarn.lock",
  ".npmrc",
  "pyproject.toml",
  "setup.py",
  "setup.cfg",
  "requirements.txt",
];

/** Folder, within the plugin's, that an install fills; the stamp lies in it, and goes with it. */
export function cacheFolder(plan: PluginPlan): string | undefined {
  const system = plan.build?.system ?? "";
  if (system.startsWith("npm")) return "node_modules";
  return system.startsWith("pip") ? ".venv" : undefined;
}

/** Path of the stamp, within the plugin's folder. */
export const stampIn = (cache: string): string => `${cache}/.pth-stamp`;

export interface Stamp {
  /** Of where the cache may be used: image and path. */
  place: string;
  /** Of what was asked for: command, manifests, lockfiles. */
  content: string;
}

/** The stamp that fits the folder as it is now, and the one that the cache carries. */
export async function readStamps(
  plan: PluginPlan,
  cache: string,
  env: EnvironmentAccess,
): Promise<{ current: Stamp; found: Stamp | undefined }> {
  const script =
    'cat "$1" 2>/dev/null; echo; shift; for f in "$@"; do [ -f "$f" ] && echo "== $f" && cat "$f"; done; true';
  const result = await env.exec(["sh", "-c", script, "sh", stampIn(cache), ...watchedFiles(plan, env)], {
    cwd: plan.folder,
  });
  if (result.code !== 0) {
    throw new PthError(
      "EXEC_FAILED",
      `Cannot read ${plan.folder} of the environment: exited with ${result.code}`,
      {
        output: result.stderr,
      },
    );
  }
  const end = result.stdout.indexOf("\n");
  const [place = "", content = ""] = result.stdout.slice(0, end).split(" ");
  const current = {
    place: hash(`${env.image}\0${plan.folder}`),
    content: hash(`${plan.build?.install}\0${result.stdout.slice(end)}`),
  };
  return { current, found: place === "" ? undefined : { place, content } };
}

/** Writes the stamp as one line; also where nothing was to be installed, and so no folder was made. */
export async function writeStamp(plan: PluginPlan, cache: string, env: EnvironmentAccess): Promise<void> {
  const { current } = await readStamps(plan, cache, env);
  const line = `${current.place} ${current.content}`;
  const script = 'mkdir -p "$1" && printf %s "$2" > "$3"';
  await env.exec(["sh", "-c", script, "sh", cache, line, stampIn(cache)], { cwd: plan.folder });
}

/** In a workspace, what is installed also hangs on the manifests at the top. */
function watchedFiles(plan: PluginPlan, env: EnvironmentAccess): string[] {
  const top = plan.folder === env.sourcePath ? [] : manifests.map((file) => `${env.sourcePath}/${file}`);
  return [...manifests, ...top];
}

const hash = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 32);
