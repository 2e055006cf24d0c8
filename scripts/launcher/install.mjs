/**
 * Installs PTH beside its sources: fetches packages into a folder of its own, bundles the server out of them, tries it,
 * moves it into place whole and removes the packages.
 *
 * A process of its own (`node install.mjs`) that goes on when the one who asked is gone: the next start finds it done.
 */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { bundle } from "../bundle.mjs";
import { fetchPackages } from "./fetch_packages.mjs";
import { isFull, openLog } from "./log.mjs";
import { bundleFolder, folder, root } from "./place.mjs";
import { claim, isProcess, removeState, touchState, writeState } from "./state.mjs";
import { tryServer } from "./try_server.mjs";

const staging = join(folder, `staging-${process.pid}`);

async function main() {
  // Not its parents: a plugin that was removed is not brought back.
  if (!existsSync(folder)) mkdirSync(folder);
  const state = { pid: process.pid, startedAt: Date.now(), doing: "beginning", share: 0 };
  if (!claim(state)) return;
  const log = openLog();
  const tell = (doing, share) => {
    if (doing !== state.doing) log.line(doing);
    Object.assign(state, { doing, share });
    try {
      writeState(state);
    } catch (error) {
      // The step that needs the room fails for it, and is told when the room is free again.
      if (!isFull(error)) throw error;
      touchState();
    }
  };
  // Bundling says nothing for a while; who waits sees that the installer lives.
  const alive = setInterval(() => tell(state.doing, state.share), 1000);
  try {
    log.line(`Installing PTH with Node ${process.version} for ${process.platform} ${process.arch}`);
    await install(log, tell);
    log.line("PTH is installed");
    clearInterval(alive);
    remove(staging);
    removeState();
  } catch (error) {
    clearInterval(alive);
    const failed = { reason: error.message, output: log.tail() };
    // First the room that it took: a full disk has none for the reason.
    remove(staging);
    log.line(error.stack);
    writeState({ ...state, failed });
    throw error;
  }
}

async function install(log, tell) {
  clear();
  const target = bundleFolder();
  mkdirSync(staging);
  await fetchPackages({ root, staging, log, tell });

  tell("bundling the server", 0.85);
  const made = join(staging, "bundle");
  await bundle({ root, packages: join(staging, "node_modules"), out: made });

  tell("trying the bundled server", 0.95);
  await tryServer(join(made, "main.js"));
  // Before the bundle is in its place: nothing comes back here for them when it is.
  remove(join(staging, "node_modules"));
  put(made, target);
  removeFormer(target);
  // Claude Code notes the packages of a plugin as missing where it has no such folder.
  mkdirSync(join(root, "node_modules"), { recursive: true });
}

/** Another installation may have been first; its bundle is the same. */
function put(made, target) {
  try {
    renameSync(made, target);
  } catch (error) {
    if (!existsSync(join(target, "main.js"))) throw error;
  }
}

/** Removes what killed installations left. */
function clear() {
  for (const name of readdirSync(folder)) {
    const pid = /^staging-(\d+)$/.exec(name)?.[1];
    if (pid !== undefined && !isProcess(Number(pid))) remove(join(folder, name));
  }
}

/** Removes former bundles but the last one, which a session that still runs may load parts of. */
function removeFormer(target) {
  const former = readdirSync(folder)
    .filter((name) => /^[0-9a-f]{16}$/.test(name) && join(folder, name) !== target)
    .map((name) => ({ path: join(folder, name), at: statSync(join(folder, name)).mtimeMs }))
    .sort((a, b) => b.at - a.at);
  for (const { path } of former.slice(1)) remove(path);
  // Earlier versions of PTH installed 330 MB here, with this mark.
  if (!existsSync(join(root, "node_modules/.pth-bootstrapped"))) return;
  for (const path of ["scripts/deno/node_modules", "node_modules"]) remove(join(root, path));
}

function remove(path) {
  // npm may still write, where its installer was killed.
  rmSync(path, { recursive: true, force: true, maxRetries: 5 });
}

await main().catch((error) => {
  // For the launcher that started it: where the folder cannot be written to, the state file cannot tell.
  console.error(error.message);
  // A timer of a program that was not found would go on for as long as npm may take.
  process.exit(1);
});
