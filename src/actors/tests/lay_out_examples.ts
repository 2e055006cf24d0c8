/** Lays out the example files that inputs name, in the environment, again for each suite. */
import { dirname, join, posix } from "node:path";
import { errorMessage, PthError } from "../../core/errors.ts";
import { makeTempDir, mkdir, removeIfExists, writeFile } from "../../platform/files.ts";
import { exampleFiles } from "../../testing/example_files/example_files.ts";
import { exampleFolder, examplePaths } from "../../testing/example_files/example_paths.ts";
import { callPlace } from "../session/call_place.ts";
import { workingFolder } from "./example_folder.ts";
import { namesExamplePage } from "../../testing/example_files/example_page.ts";
import { serveExamplePage } from "./serve_example_page.ts";
import type { SessionResources } from "../session_resources.ts";

/** Folders in which example files are laid out for one suite; the first count. */
const mostPlaces = 5;
const copyMs = 60_000;

/** Removes what earlier tests left; a link that stands there is removed, and not followed. */
const clear = 'rm -rf -- "$1"';

/** Copies files to the paths asked for; of others the folder is made. */
const copyOwn = `cd -P -- "$1" || exit 1
while IFS= read -r path; do
  case $path in */*) ;; *) continue ;; esac
  mkdir -p -- "\${path%/*}" || exit 1
  name=\${path##*/}
  if [ -e "./$name" ] && [ ! -e "$path" ]; then cp -R -- "./$name" "$path" || exit 1; fi
done`;

/**
 * Does nothing for inputs without such paths. Absolute paths are served in isolated environments alone. Where it cannot be done,
 * the session is told: servers then refuse such inputs, and all else can be tested.
 */
export async function layOutExamples(live: SessionResources, inputs: readonly unknown[]): Promise<void> {
  try {
    await layOutAll(live, inputs);
    if (namesExamplePage(inputs)) await serveExamplePage(live);
  } catch (error) {
    live.tasks.closing.signal.throwIfAborted();
    live.progress.note(`Example files are missing: ${errorMessage(error)}`);
  }
}

async function layOutAll(live: SessionResources, inputs: readonly unknown[]): Promise<void> {
  const { current } = live.environment;
  if (current === undefined || live.target.url !== undefined) return;
  const { isolated } = callPlace(live);
  const own = workingFolder(live);
  const wanted = new Map<string, Set<string>>();
  for (const [parent, paths] of examplePaths(inputs)) {
    if (parent !== "" && !isolated) continue;
    const place = posix.join(parent === "" ? own : parent, exampleFolder);
    wanted.set(place, new Set([...wanted.get(place) ?? [], ...paths]));
  }
  if (wanted.size === 0) return;
  const source = await makeTempDir({ prefix: "pth-files-" });
  try {
    for (const [path, bytes] of exampleFiles()) {
      await mkdir(dirname(join(source, path)), { recursive: true });
      await writeFile(join(source, path), bytes);
    }
    for (const [place, paths] of [...wanted].slice(0, mostPlaces)) await layOut(live, source, place, paths);
  } finally {
    await removeIfExists(source);
  }
}

async function layOut(
  live: SessionResources,
  source: string,
  place: string,
  paths: ReadonlySet<string>,
): Promise<void> {
  const { runtime, info } = live.environment.require();
  const signal = AbortSignal.any([live.tasks.closing.signal, AbortSignal.timeout(copyMs)]);
  const run = async (script: string, stdin: string) => {
    const options = { cwd: "/", stdin, signal, maxBytes: 10_000 };
    const { code, stderr } = await runtime.exec(info.handle, ["sh", "-c", script, "sh", place], options);
    if (code === 0) return;
    throw new PthError("EXEC_FAILED", `Cannot lay out example files in ${place}: exited with ${code}`, {
      output: stderr,
    });
  };
  await run(clear, "");
  await runtime.copyIn(info.handle, source, place, signal);
  await run(copyOwn, [...paths].map((path) => `${path}\n`).join(""));
}
