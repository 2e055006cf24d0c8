/**
 * Certificate authorities that this host trusts beyond the public ones, for example of a TLS-inspecting proxy.
 * Images carry them in, else nothing inside can reach a registry.
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { listFolder, readTextIfExists } from "../../platform/files.ts";
import { readEnv } from "../../platform/host.ts";

/** Folders where an administrator puts authorities (Debian, Fedora). */
const anchorFolders = ["/usr/local/share/ca-certificates", "/etc/pki/ca-trust/source/anchors"];
/** Variables that name a bundle. */
const bundleVariables = ["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "npm_config_cafile"];
/** Public authorities that every image has of its own distribution. */
const publicFolder = "/usr/share/ca-certificates";

/** PEM blocks, one per authority, in no particular order. */
export async function hostAuthorities(): Promise<string[]> {
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
