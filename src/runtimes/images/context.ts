/**
 * Build context of a base image: its Dockerfile, the shared `provision.sh`, and a folder laid over `/` with
 * what the host carries in (Node.js from its npm registry, its certificate authorities).
 */
import { createHash } from "node:crypto";
import { arch } from "node:os";
import { join } from "node:path";
import { PthError } from "../../core/errors.ts";
import {
  copyFile,
  listFolder,
  makeTempDir,
  mkdir,
  pathExists,
  readTextFile,
  readTextIfExists,
  writeTextFile,
} from "../../platform/files.ts";
import { isNoSpace, readDir, remove, symlink } from "../../platform/files.ts";
import { ownFile } from "../../platform/own_files.ts";
import { runCommand } from "../../platform/process.ts";
import type { ImageDefinition } from "./catalogue.ts";
import { readEnv } from "../../platform/host.ts";

/** Majors carried in; both are kept in one place so that an update is one line. */
const nodeVersion = "22";
const npmVersion = "11";

export interface BuildOptions {
  /** Progress, line by line, as the tools print it. */
  onOutput?: (text: string) => void;
  signal?: AbortSignal;
}

/** PTH's `images/` folder. @throws {PthError} `INTERNAL` where it is missing */
export async function imagesFolder(): Promise<string> {
  if (await pathExists(ownFile("images/provision.sh"))) return ownFile("images");
  throw new PthError("INTERNAL", "Cannot find images/provision.sh: the installation of PTH is not complete");
}

/**
 * Files that an image is made of, relative to `images/`: with systemd, also those of the container image that
 * it is based on.
 */
function filesOf({ kind, folder }: Pick<ImageDefinition, "kind" | "folder">): string[] {
  const container = [join(folder, "Dockerfile"), "provision.sh"];
  return kind === "systemd" ? ["systemd/Dockerfile", "systemd/provision.sh", ...container] : container;
}

/** Hash of all that decides what an image holds: a change of it makes built images stale. */
export async function inputsDigest(image: Pick<ImageDefinition, "kind" | "folder">): Promise<string> {
  const folder = await imagesFolder();
  const hash = createHash("sha256");
  for (const file of filesOf(image)) hash.update(await readTextFile(join(folder, file))).update("\0");
  return `sha256:${hash.digest("hex")}`;
}

export interface BuildContext {
  /** Temporary; the caller removes it. */
  folder: string;
  /** Names of the files in it. */
  files: string[];
}

/** Makes the build context in a temporary folder of its own. */
export async function makeContext(image: ImageDefinition, options: BuildOptions = {}): Promise<BuildContext> {
  const source = await imagesFolder();
  const folder = await makeTempDir({ prefix: "pth-image-" });
  try {
    const [dockerfile, provision] = filesOf(image);
    await copyFile(join(source, dockerfile!), join(folder, "Dockerfile"));
    await copyFile(join(source, provision!), join(folder, "provision.sh"));
    // What the host carries in lies in the container's image already.
    if (image.kind === "systemd") return { folder, files: ["Dockerfile", "provision.sh"] };
    const host = join(folder, "host");
    await mkdir(join(host, "usr/local/share/pth"), { recursive: true });
    await copyFile(
      join(source, "host/usr/local/share/pth/README.md"),
      join(host, "usr/local/share/pth/README.md"),
    );
    await carryIn(host, options);
    return { folder, files: ["Dockerfile", "provision.sh", "host"] };
  } catch (error) {
    await remove(folder, { recursive: true });
    throw error;
  }
}

/** Fills a folder that will lie over `/` with what this host carries in. */
export async function carryIn(root: string, options: BuildOptions = {}): Promise<void> {
  await carryAuthorities(root, options);
  await carryNode(root, options);
}

async function carryAuthorities(root: string, options: BuildOptions): Promise<void> {
  const folder = join(root, "usr/local/share/ca-certificates/pth");
  await mkdir(folder, { recursive: true });
  const authorities = await hostAuthorities();
  for (const pem of authorities) {
    await writeTextFile(join(folder, `host-${authorityId(pem)}.crt`), `${pem}\n`);
  }
  options.onOutput?.(`carrying in ${authorities.length} certificate authorities of this host\n`);
}

/** Node.js and npm as npm packages: a registry is reachable where a download site may not be. */
async function carryNode(root: string, options: BuildOptions): Promise<void> {
  const packages = [`node-linux-${arch()}@${nodeVersion}`, `npm@${npmVersion}`];
  const scratch = await makeTempDir({ prefix: "pth-node-" });
  try {
    const packed = await runCommand(["npm", "pack", "--silent", "--pack-destination", scratch, ...packages], {
      ...(options.signal ? { signal: options.signal } : {}),
    });
    if (packed.code !== 0) {
      options.onOutput?.(`taking the distribution's Node.js: npm pack failed: ${packed.stderr.trim()}\n`);
      return;
    }
    options.onOutput?.(`carrying in ${packed.stdout.trim().split(/\s+/).join(" and ")}\n`);
    await layOut(scratch, join(root, "usr/local"), options);
  } finally {
    await remove(scratch, { recursive: true });
  }
}

/** Unpacks both packages to where a usual installation has them; headers too, for native modules without a download. */
async function layOut(scratch: string, local: string, options: BuildOptions): Promise<void> {
  const npm = join(local, "lib/node_modules/npm");
  await mkdir(npm, { recursive: true });
  const unpack = ["--strip-components=1", "--no-same-owner"];
  for await (const { name } of readDir(scratch)) {
    const isNode = name.startsWith("node-");
    const command = isNode
      ? ["-C", local, ...unpack, "--exclude=*/openssl/archs", "package/bin", "package/include"]
      : ["-C", npm, ...unpack];
    await runOrFail(["tar", "-xzf", join(scratch, name), ...command], options);
  }
  await symlink("../lib/node_modules/npm/bin/npm-cli.js", join(local, "bin/npm"));
  await symlink("../lib/node_modules/npm/bin/npx-cli.js", join(local, "bin/npx"));
}

/** Time that an interrupted tool may take to remove what it made, in ms. */
const tidiesWithin = 15_000;

/** Runs one tool of the build. @throws {PthError} `IMAGE_BUILD_FAILED` with its output, `DISK_FULL` */
export async function runOrFail(
  command: readonly string[],
  { onOutput, signal, env }: BuildOptions & { env?: Record<string, string> },
): Promise<void> {
  const result = await runCommand(command, {
    grace: tidiesWithin,
    ...(onOutput ? { onOutput: (text: string) => onOutput(text) } : {}),
    ...(signal ? { signal } : {}),
    ...(env ? { env } : {}),
  });
  if (result.code === 0) return;
  const output = (result.stderr || result.stdout).trim().slice(-4000);
  const tried = [command.join(" ")];
  if (isNoSpace(output)) {
    throw new PthError("DISK_FULL", `Cannot build image: ${command[0]} found the disk full`, {
      output,
      tried,
      next: ["Make room, or build elsewhere: PTH_BASE_IMAGE_DIR", "Remove old images: pth images prune"],
    });
  }
  const silent = isUnreachable(output);
  const state = silent ? "reached no mirror" : howItEnded(result);
  throw new PthError("IMAGE_BUILD_FAILED", `Cannot build image: ${command[0]} ${state}`, {
    output,
    tried,
    ...(silent
      ? { next: ["Look whether the mirror in the host's own sources answers: apt-get update"] }
      : {}),
  });
}

const howItEnded = ({ code, signal }: { code: number | null; signal: string | null }): string =>
  code === null ? `was ended by ${signal}` : `ended with ${code}`;

/** apt's and dnf's words for a mirror that does not answer. */
const isUnreachable = (output: string): boolean =>
  /could not resolve|temporary failure resolving|could not connect|failed to fetch|cannot download/i.test(
    output,
  );

/** Folders where an administrator puts authorities (Debian, Fedora). */
const anchorFolders = ["/usr/local/share/ca-certificates", "/etc/pki/ca-trust/source/anchors"];

/** Variables that name a bundle. */
const bundleVariables = ["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "npm_config_cafile"];

/** Public authorities that every image has of its own distribution. */
const publicFolder = "/usr/share/ca-certificates";

/** PEM blocks, one per authority, in no particular order. */
async function hostAuthorities(): Promise<string[]> {
  const files = [
    ...(await Promise.all(anchorFolders.map(filesBelow))).flat(),
    ...bundleVariables.flatMap((name) => readEnv(name) ?? []),
  ];
  const ours = await certificatesOf(files);
  const known = await certificatesOf(await filesBelow(publicFolder));
  for (const id of known.keys()) ours.delete(id);
  return [...ours.values()];
}

/** Name by content, so that the same authority is carried once. */
export const authorityId = (pem: string): string =>
  createHash("sha256").update(pem.replace(/\s+/g, "")).digest("hex").slice(0, 16);

/** The PEM blocks of a text. */
export const splitPem = (text: string): string[] =>
  text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];

async function certificatesOf(files: readonly string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const file of new Set(files)) {
    for (const pem of splitPem((await readTextIfExists(file)) ?? "")) found.set(authorityId(pem), pem);
  }
  return found;
}

async function filesBelow(folder: string): Promise<string[]> {
  const files: string[] = [];
  for (const { name, isDirectory } of await listFolder(folder)) {
    const path = join(folder, name);
    if (isDirectory) files.push(...await filesBelow(path));
    else if (/\.(crt|pem)$/.test(name)) files.push(path);
  }
  return files;
}
