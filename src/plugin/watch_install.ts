/** Tells what npm is doing while it says nothing: it prints no word before it has ended. */
import { plainLine } from "../core/text.ts";
import type { EnvironmentAccess } from "./environment_access.ts";

interface WatchOptions {
  folder: string;
  tell: (text: string) => void;
  /** Milliseconds of silence after which it looks. */
  everyMs?: number;
}

/** Limit in ms of one look. */
const looksWithin = 2000;

/**
 * POSIX sh: scripts of packages that run (npm gives them their package's name), and packages that are unpacked. On the bare
 * host other users of npm would be taken for it.
 */
const script = `
[ "$1" = isolated ] && grep -azHE '^npm_(lifecycle_event|package_name)=' /proc/[0-9]*/environ 2>/dev/null |
  tr '\\0' '\\n' | head -n 200
printf 'packages %s\\n' "$(find node_modules -maxdepth 3 -name package.json 2>/dev/null | head -n 20000 | wc -l)"`;

/** Looks again and again, each time that nothing was said for a while. The answer ends that. */
export function watchInstall(
  env: EnvironmentAccess,
  { folder, tell, everyMs = 3000 }: WatchOptions,
): { heard(): void; stop(): void } {
  const ended = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const wait = () => {
    clearTimeout(timer);
    if (!ended.signal.aborted) timer = setTimeout(look, everyMs);
  };
  const look = async () => {
    try {
      const signal = AbortSignal.any([ended.signal, AbortSignal.timeout(looksWithin)]);
      const words = ["sh", "-c", script, "sh", env.isolated ? "isolated" : "shared"];
      const { stdout } = await env.exec(words, { cwd: folder, signal, maxBytes: 100_000 });
      if (!ended.signal.aborted) tell(npmActivity(stdout));
    } catch {
      // A look that fails or takes too long says nothing; the install itself says what is wrong.
    }
    wait();
  };
  wait();
  return {
    heard: wait,
    stop() {
      ended.abort();
      clearTimeout(timer);
    },
  };
}

/** One line for people, of what a look found. */
export function npmActivity(found: string): string {
  const scripts = new Map<string, { event?: string; name?: string }>();
  for (
    const [, file, key, value] of found.matchAll(
      /^(\/proc\/\d+)\/environ:npm_(lifecycle_event|package_name)=(.*)$/gm,
    )
  ) {
    const known = scripts.get(file!) ?? {};
    scripts.set(file!, { ...known, [key === "package_name" ? "name" : "event"]: value });
  }
  const run = [...scripts.values()].find(({ event, name }) => event && name);
  if (run !== undefined) {
    return `npm runs the ${plainLine(run.event!).slice(0, 40)} script of ${
      plainLine(run.name!).slice(0, 100)
    }`;
  }
  const packages = Number(/^packages (\d+)$/m.exec(found)?.[1] ?? 0);
  return packages === 0 ? "npm asks the registry for versions" : `npm unpacks packages, ${packages} so far`;
}
