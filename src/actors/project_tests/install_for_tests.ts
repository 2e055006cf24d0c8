/** Installs what a project's own tests need, in a session's environment. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import type { PluginPlan } from "../../../machines/model/plugin.ts";
import { firstLine } from "../../core/text.ts";
import { pipCommand } from "../../plugin/build_system.ts";
import { detectBuild } from "../../plugin/detect.ts";
import { accessTo, insideFolder } from "../../plugin/environment_access.ts";
import { installPlugin } from "../../plugin/install_plugin.ts";
import { pythonTestRequirements } from "../../plugin/python_test_requirements.ts";
import { hostFolder } from "../../plugin/readable_folder.ts";
import { type LoadStepOptions, runStep } from "../../plugin/run_step.ts";
import { pathFolders, withPath } from "../../plugin/with_path.ts";
import { treeAccessOf } from "../plugin/tree_access_of.ts";
import { withRetriedSource } from "../promise_actor.ts";
import type { SessionResources } from "../session_resources.ts";

export interface TestedFolder {
  /** Path inside. */
  root: string;
  /** Path below the plugin's folder; "." for that. */
  below: string;
}

/**
 * Installs and builds as a load would, where none has done so, then the packages that the project declares for its tests.
 * @returns the plan that was carried out; undefined where there is nothing to install
 * @throws {PthError} `INSTALL_FAILED`, `BUILD_FAILED`, `TOOLCHAIN_MISSING`
 */
export async function installForTests(
  live: SessionResources,
  tested: TestedFolder,
  signal: AbortSignal,
): Promise<PluginPlan | undefined> {
  const loaded = tested.below === "." ? live.plugin.plan : undefined;
  const plan = loaded ?? await installed(live, tested, signal);
  if (plan?.build?.system.startsWith("pip")) await installTestPackages(live, tested, signal);
  return plan;
}

/** On the host no path is followed that a link of the project may lead elsewhere. */
function folderOfTests(live: SessionResources, { root, below }: TestedFolder) {
  const { runtime, info: { handle } } = live.environment.require();
  const { worktree, subfolder } = live.code.source!;
  return below === "."
    ? hostFolder(join(worktree, subfolder))
    : insideFolder(accessTo(runtime, handle), root);
}

async function installed(
  live: SessionResources,
  tested: TestedFolder,
  signal: AbortSignal,
): Promise<PluginPlan | undefined> {
  const { runtime, info: { handle } } = live.environment.require();
  const access = accessTo(runtime, handle);
  const { name, source } = live.code.source!;
  const { root: folder, below } = tested;
  const build = await detectBuild(folderOfTests(live, tested), { isolated: access.isolated });
  // What a compiler makes of the source, frameworks ask it for themselves.
  if (build?.install === undefined) return undefined;
  const server = { type: "stdio" as const, command: [], env: {}, cwd: folder };
  const step = <T>(
    phase: string,
    command: string,
    work: (options: LoadStepOptions) => Promise<T>,
    done?: (result: T) => string,
  ) => {
    const options = { onOutput: live.progress.output(phase), hide: live.secrets.redact.text, signal };
    const retried = () => withRetriedSource(live, phase, () => work(options), signal);
    return live.progress.step(phase, command, retried, done);
  };
  const { plan } = await step("install", build.install, (options) => {
    const trees = below === "." ? { trees: treeAccessOf(live) } : {};
    return installPlugin({ name, source, folder, build, server }, access, { ...options, ...trees });
  }, ({ skipped }) => skipped ?? build.install!);
  const command = build.build;
  if (command !== undefined) {
    const inside = withPath(access, pathFolders(plan));
    await step("build", command, (options) => runStep("build", command, plan, inside, options));
  }
  return plan;
}

/** Exits with 44 where these packages are installed already. Those that the plugin runs with keep their versions, if possible. */
const pipScript = `[ "$(cat .venv/.pth-test-stamp 2>/dev/null)" != "$1" ] || exit 44
stamp=$1; shift
${pipCommand} freeze --local --exclude-editable >.venv/.pth-constraints || exit 1
{ ${pipCommand} install -c .venv/.pth-constraints "$@" || ${pipCommand} install "$@"; } && printf %s "$stamp" >.venv/.pth-test-stamp`;

/** Failing is not the end: the environment may have what the tests need. */
async function installTestPackages(
  live: SessionResources,
  tested: TestedFolder,
  signal: AbortSignal,
): Promise<void> {
  const { runtime, info: { handle } } = live.environment.require();
  const folder = folderOfTests(live, tested);
  const { packages, files } = await pythonTestRequirements(folder);
  const words = [...packages, ...files.flatMap((file) => ["-r", file])];
  if (words.length === 0) return;
  const texts = await Promise.all(files.map((file) => folder.read(file)));
  const stamp = createHash("sha256").update(JSON.stringify([words, texts])).digest("hex");
  const shown = words.join(" ").slice(0, 120);
  await live.progress.step("install", `packages of the tests: ${shown}`, async () => {
    const { code, stderr } = await runtime.exec(handle, ["sh", "-c", pipScript, "sh", stamp, ...words], {
      cwd: tested.root,
      onOutput: live.progress.output("install"),
      signal,
    });
    if (code === 0 || code === 44) return;
    const lines = stderr.trim().split("\n");
    const why = firstLine(lines.findLast((line) => line.startsWith("ERROR")) ?? lines.at(-1)!, 300);
    live.progress.note(`Packages of the tests could not be installed: ${why} (${shown})`);
  });
}
