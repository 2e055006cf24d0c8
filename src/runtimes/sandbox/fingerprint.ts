/**
 * The fingerprint of a sandbox. What it shows of the host's root is the host's, and changes with it: what the sandbox
 * itself has changed is in its upper side, and is compared with what the host has at the same moment.
 */
import type {
  EnvironmentFingerprint,
  EnvironmentHandle,
  RuntimeDrift,
  UnseenPart,
} from "../../../machines/model/environment.ts";
import { PthError } from "../../core/errors.ts";
import { runCommand } from "../../platform/process.ts";
import { fingerprintBytes, fingerprintCommand, parseFingerprint } from "../drift/fingerprint.ts";
import { capabilitiesIn, type FileFacts, fileFormat, filesIn } from "../drift/files_in.ts";
import { defaultPath, inNamespacesOf } from "./sandbox_process.ts";
import { execIn } from "./exec_in_sandbox.ts";
import type { Layer } from "./layout.ts";
import { layoutFor } from "./plan.ts";
import { layerFolderName, sandboxFolders } from "./start_script.ts";
import { sandboxOf } from "./sandbox_state.ts";

export async function sandboxFingerprint(handle: EnvironmentHandle): Promise<EnvironmentFingerprint> {
  const { layers } = await layoutFor(sandboxOf(handle).spec.image);
  const options = { cwd: "/", maxBytes: fingerprintBytes };
  const [looked, beneath, { upper, unseen }] = await Promise.all([
    execIn(handle, fingerprintCommand("none"), options),
    beneathOf(handle),
    changedFiles(handle, layers),
  ]);
  const lower = await filesBeneath(handle, layers, upper);
  return parseFingerprint(looked.stdout, { ...upper, unseen, beneath: { ...beneath, ...lower } });
}

/** Reads the state of the host beneath a sandbox; an unpacked image does not change while a sandbox uses it. */
async function beneathOf(handle: EnvironmentHandle): Promise<RuntimeDrift> {
  if (sandboxOf(handle).spec.image !== undefined) return {};
  const options = { cwd: "/", clearEnv: true, env: { PATH: defaultPath }, maxBytes: fingerprintBytes };
  const { packages, users, groups, config } = parseFingerprint(
    (await runCommand(fingerprintCommand("beneath"), options)).stdout,
  );
  return { packages, users, groups, config };
}

/** Each with a NUL at its end. `$@`: folders, or on stdin single files. */
const listing = `find "$@" -mindepth 1 -printf '${fileFormat}\\0'`;
const listingOfFew = `xargs -0r sh -c 'find "$@" -maxdepth 0 -printf "${fileFormat}\\0"' sh`;

/** A capability means something on what can be executed. */
const executable = "-type f -perm /111 -exec getcap {} +";
const capable = `command -v getcap >/dev/null || echo none; find "$@" ${executable}`;
const capableOfFew = `xargs -0r sh -c 'find "$@" -maxdepth 0 ${executable}' sh`;

/** Runs a script where the sandbox's data and the host's files are seen side by side. */
async function beside(
  handle: EnvironmentHandle,
  script: string,
  folders: string[],
  stdin = "",
): Promise<string> {
  const { life, method } = sandboxOf(handle);
  const words = [
    ...inNamespacesOf(life, method.userNamespace),
    "sh",
    "-c",
    `${script}; echo ==`,
    "sh",
    ...folders,
  ];
  const { stdout, stderr, truncated } = await runCommand(words, {
    cwd: "/",
    stdin,
    maxBytes: fingerprintBytes,
  });
  if (!truncated && stdout.endsWith("==\n")) return stdout.slice(0, -"==\n".length);
  const state = truncated ? "there are too many" : "the listing did not come to its end";
  throw new PthError("EXEC_FAILED", `Cannot list changed files: ${state}`, { output: stderr });
}

/** Lists the files of the upper side, as paths inside. */
async function changedFiles(
  handle: EnvironmentHandle,
  layers: readonly Layer[],
): Promise<{ upper: FileFacts; unseen: UnseenPart[] }> {
  const { root, upper } = sandboxFolders(sandboxOf(handle).life.folder);
  const places = layers.map(({ path }) => [`${upper}/${layerFolderName(path)}/`, path] as const);
  const inside = (path: string) => {
    if (path.startsWith(`${root}/`)) return path.slice(root.length);
    const place = places.find(([prefix]) => `${path}/`.startsWith(prefix));
    return place ? joined(place[1], path.slice(place[0].length)) : path;
  };
  // A sandbox over an image has a root of its own only.
  const folders = [root, upper].filter((_, index) => index > 0 || layers[0]?.path !== "");
  const [files, capabilities] = await Promise.all([
    beside(handle, listing, folders),
    beside(handle, capable, folders),
  ]);
  const facts = {
    ...filesIn(files.split("\0"), inside),
    capabilities: capabilitiesIn(capabilities.split("\n"), inside),
  };
  const missing = { what: "capabilities of files", why: "the host has no getcap" };
  return { upper: facts, unseen: capabilities.startsWith("none\n") ? [missing] : [] };
}

/**
 * Reads the same files where the sandbox has not changed them: a file that was there before was changed, not
 * added.
 */
async function filesBeneath(
  handle: EnvironmentHandle,
  layers: readonly Layer[],
  { files, modes, links }: FileFacts,
): Promise<FileFacts> {
  const lowers = layers.map(({ path, lower }) => [joined(path, ""), lower.replace(/\/$/, "")] as const);
  const beneath = new Map<string, string>();
  for (const path of Object.keys({ ...files, ...modes, ...links })) {
    const layer = lowers.find(([place]) => place === "/" || path === place || path.startsWith(`${place}/`));
    if (layer) beneath.set(layer[0] === "/" ? layer[1] + path : layer[1] + path.slice(layer[0].length), path);
  }
  const input = [...beneath.keys()].map((path) => `${path}\0`).join("");
  const inside = (path: string) => beneath.get(path) ?? path;
  const [found, capabilities] = await Promise.all([
    beside(handle, listingOfFew, [], input),
    beside(handle, capableOfFew, [], input),
  ]);
  return {
    ...filesIn(found.split("\0"), inside),
    capabilities: capabilitiesIn(capabilities.split("\n"), inside),
  };
}

const joined = (...parts: string[]): string => `/${parts.filter((part) => part !== "").join("/")}`;
