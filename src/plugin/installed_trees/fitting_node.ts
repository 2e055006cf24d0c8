/** Brings a Node that a package asks for (`engines`) into an environment whose own does not fit. */
import { join, posix } from "node:path";
import { arch } from "node:os";
import { addAbortSignal, type Readable } from "node:stream";
import { errorMessage, PthError } from "../../core/errors.ts";
import { copyFile, listFolder, makeTempDir, mkdir, removeIfExists } from "../../platform/files.ts";
import { runCommand } from "../../platform/process.ts";
import { readStream } from "../../platform/streams.ts";
import type { EnvironmentAccess } from "../environment_access.ts";
import { nodeLineFor, satisfiesNode } from "../satisfies_node.ts";
import type { PlaceFacts } from "./place_facts.ts";
import type { TreeAccess } from "./tree_access.ts";
import { treeKey } from "./tree_key.ts";

export interface FittingNode {
  /** Folder of its program inside; undefined where the environment's own Node stays. */
  bin?: string;
  note: string;
}

interface NodeRequest {
  env: EnvironmentAccess;
  trees: TreeAccess;
  facts: PlaceFacts;
  /** Package or plugin that asks. */
  name: string;
  range: string;
  signal?: AbortSignal | undefined;
  /** Takes what is done, where it takes long. */
  tell?: ((text: string) => void) | undefined;
}

/** Undefined where the environment's Node fits, or has none. Where none can be brought in, the note says what to do. */
export async function fittingNode(request: NodeRequest): Promise<FittingNode | undefined> {
  const { facts: { node }, name, range, signal } = request;
  if (node === undefined || satisfiesNode(node, range)) return undefined;
  const asks = `${name} asks for Node ${range}, and the environment has ${node}`;
  try {
    const { version, bin } = await bringNode(request);
    return { bin, note: `${asks}: Node ${version} was brought in, and runs its install, build and server.` };
  } catch (error) {
    signal?.throwIfAborted();
    return {
      note: `${asks}. No other could be brought in (${errorMessage(error)}), so it is tried with that. ` +
        "If it fails, choose an image with a Node that fits.",
    };
  }
}

async function bringNode(request: NodeRequest): Promise<{ version: string; bin: string }> {
  const { trees: { store, reads }, range } = request;
  const system = systemOf(request.facts);
  const wanted = nodeLineFor(range);
  const family = treeKey("node", system, wanted);
  const kept = reads ? await store.newestOf(family) : undefined;
  const version = kept?.name.replace(/^node@/, "") ?? "";
  if (kept !== undefined && satisfiesNode(version, range)) {
    const there = await placeInside(request, version);
    if (there.made) return { version, bin: there.bin };
    const bin = await unpackInside(request, version, (take) => store.read(kept, take));
    if (bin !== undefined) return { version, bin };
  }
  return await fetchNode(request, system, wanted, family);
}

/** Name of the system as Node's packages have it. */
function systemOf({ text }: PlaceFacts): string {
  const machine = /^Linux (\S+)$/m.exec(text)?.[1] ?? "";
  const processor = ({ x86_64: "x64", aarch64: "arm64" } as Record<string, string>)[machine];
  if (processor === undefined || /ld-musl/.test(text)) {
    throw new PthError(
      "UNSUPPORTED",
      `there is none for ${text.includes("ld-musl") ? "musl" : machine || arch()}`,
    );
  }
  return `linux-${processor}`;
}

/** From npm's registry, by the host's npm, which checks what it gets; nothing of a plugin has a hand in it. */
async function fetchNode(
  request: NodeRequest,
  system: string,
  wanted: string,
  family: string,
): Promise<{ version: string; bin: string }> {
  const { trees: { store }, range, signal, tell } = request;
  tell?.(`fetching Node ${wanted} from npm's registry\n`);
  const scratch = await makeTempDir({ prefix: "pth-node-" });
  const options = { cwd: scratch, ...(signal === undefined ? {} : { signal }) };
  const run = async (...command: string[]) => {
    const { code, stdout, stderr } = await runCommand(command, options);
    if (code !== 0) {
      throw new PthError("INSTALL_FAILED", lastWords(stderr) || `${command[0]} exited with ${code}`);
    }
    return stdout;
  };
  try {
    await run("npm", "pack", "--silent", `node-${system}@${wanted}`);
    const packed = (await listFolder(scratch)).find(({ name }) => name.endsWith(".tgz"))?.name ?? "";
    const version = /-(\d+\.\d+\.\d+)\.tgz$/.exec(packed)?.[1] ?? "";
    if (!satisfiesNode(version, range)) {
      throw new PthError("INSTALL_FAILED", `the registry has none in ${range}`);
    }
    await mkdir(join(scratch, "node"));
    const parts = ["--strip-components=1", "--no-same-owner", "package/bin/node", "package/include"];
    await run("tar", "-xzf", packed, "-C", "node", "--exclude=*/openssl/archs", ...parts);
    await run("tar", "-C", "node", "-cf", "node.tar", "bin", "include");
    const archive = join(scratch, "node.tar");
    const bin = (await unpackInside(request, version, async (take) => {
      await take(readStream(archive));
      return true;
    }))!;
    const entry = { key: treeKey("node", system, version), name: `node@${version}`, families: [family] };
    await store.keep(entry, (path) => copyFile(archive, path));
    return { version, bin };
  } finally {
    await removeIfExists(scratch);
  }
}

const lastWords = (stderr: string): string => stderr.trim().split("\n").at(-1)?.slice(0, 200) ?? "";

/** Arguments: where it was unpacked, its place. */
const putScript = `
set -e
rm -rf -- "$2"
mv -- "$1" "$2"
"$2/bin/node" --version`;

const folderInside = ({ env }: NodeRequest, version: string): string =>
  posix.join(posix.dirname(env.sourcePath), ".pth-node", version);

/** A reload finds what the load before it brought in. */
async function placeInside(request: NodeRequest, version: string): Promise<{ bin: string; made: boolean }> {
  const bin = `${folderInside(request, version)}/bin`;
  const { code } = await request.env.exec(["test", "-x", `${bin}/node`], { cwd: "/" });
  return { bin, made: code === 0 };
}

/**
 * Next to the source, so that no install removes it, and within what the environment's end removes. It gets its place once
 * all of it was read and is right; undefined where it is not.
 */
async function unpackInside(
  request: NodeRequest,
  version: string,
  read: (take: (archive: Readable) => Promise<void>) => Promise<boolean>,
): Promise<string | undefined> {
  const { env, trees, signal } = request;
  const folder = folderInside(request, version);
  const aside = `${folder}.${crypto.randomUUID()}`;
  const remove = () => env.exec(["rm", "-rf", aside], { cwd: "/" });
  const isRight = await read((archive) =>
    trees.unpack(signal ? addAbortSignal(signal, archive) : archive, aside)
  ).catch(async (error) => {
    await remove();
    throw error;
  });
  if (!isRight) {
    await remove();
    return undefined;
  }
  const options = { cwd: "/", ...(signal === undefined ? {} : { signal }) };
  const { code, stderr } = await env.exec(["sh", "-c", putScript, "sh", aside, folder], options);
  if (code !== 0) {
    throw new PthError(
      "INSTALL_FAILED",
      `it does not run there: ${lastWords(stderr) || `exited with ${code}`}`,
    );
  }
  return `${folder}/bin`;
}
