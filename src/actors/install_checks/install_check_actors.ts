/** The slots of the install check machine. */
import { join, posix } from "node:path";
import type {
  ComparedPackage,
  InstalledPackage,
  InstallFault,
  InstallSurvey,
  PackedPackage,
} from "../../../machines/model/install_check.ts";
import type { InstallWork } from "../../../machines/install_check_machine.ts";
import { agentNamed, findAgent } from "../../agents/adapters/agents.ts";
import { PthError } from "../../core/errors.ts";
import { checkArchive } from "../../install_checks/check_archive.ts";
import { comparePackage } from "../../install_checks/compare_package.ts";
import {
  insideTree,
  type PackageTree,
  packageTree,
  type TreeEntry,
} from "../../install_checks/inside_tree.ts";
import type { InstallPlace } from "../../install_checks/install_kind.ts";
import { archiveIn, installKindNamed } from "../../install_checks/install_kinds.ts";
import { tryPrograms } from "../../install_checks/try_programs.ts";
import { accessTo } from "../../plugin/environment_access.ts";
import { readIdentity } from "../../plugin/package_json.ts";
import { hostFolder } from "../../plugin/readable_folder.ts";
import type { RunCommandInside } from "../../plugin/run_command_inside.ts";
import { listHost } from "../../runtimes/shared/source/listing.ts";
import { placeProgram } from "../agents/place_program.ts";
import { type GetSession, promiseActor } from "../promise_actor.ts";
import type { SessionResources } from "../session_resources.ts";

/** Files of the author's folder that are looked at. */
const mostOwnFiles = 20_000;

export function installCheckActors(stage: GetSession) {
  return {
    survey: promiseActor<InstallSurvey, Pick<InstallWork, "requestId" | "check">>(stage, survey),
    pack: promiseActor<PackedPackage, InstallWork>(stage, (live, work, signal) =>
      live.progress.step(
        "pack",
        `packing ${work.survey.name}`,
        () => installKindNamed(work.check.kind).pack(placeOf(live, work, signal)),
        ({ path }) => posix.basename(path),
      )),
    install: promiseActor<InstalledPackage, InstallWork>(stage, (live, work, signal) =>
      live.progress.step(
        "install",
        "installing what was packed",
        () => install(live, work, signal),
        () => "what was packed",
      )),
    tryPrograms: promiseActor<InstallFault[], InstallWork>(stage, (live, { installed }, signal) => {
      const { runtime, info } = live.environment.require();
      return tryPrograms(accessTo(runtime, info.handle), installed.programs, signal);
    }),
    compare: promiseActor<ComparedPackage, InstallWork>(stage, compare),
  };
}

/** Brings the source in, and asks what it is. */
async function survey(
  live: SessionResources,
  { check }: Pick<InstallWork, "check">,
): Promise<InstallSurvey> {
  const environment = live.environment.require();
  const { runtime, info: { handle } } = environment;
  environment.touched = true;
  const { worktree, subfolder } = live.code.source!;
  const folder = hostFolder(join(worktree, subfolder));
  await runtime.mountSource(handle, worktree, handle.sourcePath);
  const kind = installKindNamed(check.kind);
  for (const program of kind.needs) {
    const { code } = await runtime.exec(handle, ["sh", "-c", 'command -v "$1"', "sh", program], { cwd: "/" });
    if (code === 0) continue;
    throw new PthError(
      "TOOLCHAIN_MISSING",
      `Cannot check the package as ${kind.name}: there is no ${program}`,
      {
        next: [{ terminal: "Check in an environment that has it: --image, or --env host" }],
      },
    );
  }
  const archive = await archiveIn(folder);
  if (archive !== undefined) {
    await checkArchive(join(worktree, subfolder, archive), archive);
    const path = posix.join(handle.sourcePath, subfolder, archive);
    return { name: archive, servers: [], archive: path };
  }
  // A declaration that cannot be read is a fault of the package, told later.
  const servers = await kind.servers(folder, posix.join(handle.sourcePath, subfolder)).catch((error) => {
    if (error instanceof PthError) return [];
    throw error;
  });
  return { ...await readIdentity(folder), servers: check.source ? servers : [] };
}

function placeOf(
  live: SessionResources,
  { requestId, survey }: InstallWork,
  signal: AbortSignal,
): InstallPlace {
  const environment = live.environment.require();
  const { runtime, info: { handle } } = environment;
  const { worktree, subfolder } = live.code.source!;
  const folder = posix.join(posix.dirname(handle.sourcePath), `install-${requestId.slice(0, 8)}`);
  return {
    env: accessTo(runtime, handle),
    folder,
    source: survey.archive === undefined ? posix.join(handle.sourcePath, subfolder) : undefined,
    archive: survey.archive,
    signal,
    copySource: (to) => runtime.copyIn(handle, join(worktree, subfolder), to, signal),
    async bringAgent(name) {
      const found = await findAgent(agentNamed(name)).catch((error) => {
        if (error instanceof PthError && error.code === "TOOLCHAIN_MISSING") return undefined;
        throw error;
      });
      if (found === undefined) return undefined;
      const { program, node, note } = await placeProgram(environment, name, found, folder, signal);
      if (note !== undefined) live.progress.note(note);
      return note !== undefined ? undefined : node === undefined ? [program] : [node, program];
    },
  };
}

/** Leaves out servers that the source does not start either, where nothing declares that they are some. */
async function install(
  live: SessionResources,
  work: InstallWork,
  signal: AbortSignal,
): Promise<InstalledPackage> {
  const kind = installKindNamed(work.check.kind);
  const installed = await kind.install(placeOf(live, work, signal), work.packed);
  const failed = work.starts.source.filter(({ error }) => error !== undefined).map(({ name }) => name);
  return kind.declaresServers
    ? installed
    : { ...installed, servers: installed.servers.filter(({ name }) => !failed.includes(name)) };
}

async function compare(
  live: SessionResources,
  work: InstallWork,
  signal: AbortSignal,
): Promise<ComparedPackage> {
  const { env, source } = placeOf(live, work, signal);
  const { root } = work.installed;
  const run: RunCommandInside = (command, options) => env.exec(command, options);
  const [tree, installed] = await Promise.all([
    source === undefined ? undefined : sourceTree(live, run, source),
    insideTree(run, root),
  ]);
  return await comparePackage(
    installKindNamed(work.check.kind),
    { source: tree, installed, env, root, sourceRoot: source, signal },
    work.starts,
    work.installed.found,
  );
}

/** The source as it is built inside, with the files of the author's folder that no repository holds. */
async function sourceTree(live: SessionResources, run: RunCommandInside, path: string): Promise<PackageTree> {
  const tree = await insideTree(run, path);
  const { folder } = live.code.source!;
  if (folder === undefined) return tree;
  const own = [...(await listHost(folder, [])).values()].filter(({ isFolder }) => !isFolder).slice(
    0,
    mostOwnFiles,
  );
  const entries = new Map<string, TreeEntry>(own.map(({ path }) => [path, { kind: "file" }]));
  for (const [path, entry] of tree.entries) entries.set(path, entry);
  return packageTree(entries, tree.read);
}
