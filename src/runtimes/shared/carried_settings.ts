/**
 * The few host settings that go into every environment, so that installs work behind a proxy, a mirror or an
 * inspecting firewall: proxy and CA variables, language, and npm's registry settings. Never a token or a password of a
 * registry; everything else of the host's environment stays outside.
 */
import { basename, join } from "node:path";
import { pathExists, readTextIfExists } from "../../platform/files.ts";
import { allEnv } from "../../platform/host.ts";
import { homedir } from "node:os";

export interface CarriedSettings {
  env: Record<string, string>;
  /** Files that variables point to and that the environment does not have: copy each in before anything runs. */
  files: { hostPath: string; envPath: string }[];
}

/** Folder inside of files that had to be carried in. */
const carriedFolder = "/etc/pth-carried";

const plain = [
  "LANG",
  "LC_ALL",
  "LC_CTYPE",
  "TZ",
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "ALL_PROXY",
  "FTP_PROXY",
  "NO_PROXY",
  "PIP_INDEX_URL",
  "PIP_EXTRA_INDEX_URL",
  "PIP_TRUSTED_HOST",
  "GOPROXY",
  "DEBIAN_FRONTEND",
];

/** Variables whose value is the path of a certificate file or folder. */
const paths = [
  "NODE_EXTRA_CA_CERTS",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "CURL_CA_BUNDLE",
  "REQUESTS_CA_BUNDLE",
  "PIP_CERT",
  "GIT_SSL_CAINFO",
  "AWS_CA_BUNDLE",
  "NIX_SSL_CERT_FILE",
  "DENO_CERT",
  "CARGO_HTTP_CAINFO",
];

/** True for files of the host's that images hold themselves: they put its authorities together with the public ones. */
export const imageHolds = (path: string): boolean =>
  path === "/etc/ssl/certs/ca-certificates.crt" || path === "/etc/ssl/certs";

const npmPlain = ["registry", "proxy", "https-proxy", "noproxy", "strict-ssl"];
const npmPaths = ["cafile", "nodedir"];

/**
 * @param visible Whether a host path is the same file inside; other files are carried in, other folders are left out.
 * @param host The host's variables.
 */
export async function carriedSettings(
  visible: (path: string) => boolean,
  host: Record<string, string> = allEnv(),
): Promise<CarriedSettings> {
  const env: Record<string, string> = {};
  const pointing: Record<string, string> = {};
  for (const name of plain.flatMap((name) => [name, name.toLowerCase()])) {
    if (host[name]) env[name] = isIndex(name) ? withoutCredentials(host[name]) : host[name];
  }
  for (const name of paths) if (host[name]) pointing[name] = host[name];
  for (const [key, value] of Object.entries(await npmSettings(host))) {
    const name = `npm_config_${key.replaceAll("-", "_")}`;
    if (npmPlain.includes(key)) env[name] = key === "registry" ? withoutCredentials(value) : value;
    else if (npmPaths.includes(key)) pointing[name] = value;
  }
  const files = await carryFiles(pointing, visible, env);
  return { env, files };
}

/** npm's settings of the host, the weakest source first: global file, user file, variables. */
async function npmSettings(host: Record<string, string>): Promise<Record<string, string>> {
  const named = (key: string) => host[`npm_config_${key}`] ?? host[`NPM_CONFIG_${key.toUpperCase()}`];
  const home = host.HOME ?? homedir();
  const sources = [
    named("globalconfig")
      ? [named("globalconfig")!]
      : ["/etc/npmrc", "/usr/local/etc/npmrc", "/usr/etc/npmrc"],
    [named("userconfig") ?? join(home, ".npmrc")],
  ].flat();
  const settings: Record<string, string> = {};
  for (const path of sources) Object.assign(settings, parseNpmrc(await readQuietly(path), host));
  for (const key of [...npmPlain, ...npmPaths]) {
    const value = named(key.replaceAll("-", "_"));
    if (value) settings[key] = value;
  }
  return settings;
}

/** Settings of an npmrc that may be carried; `${NAME}` is replaced as npm does. Tokens are never among them. */
export function parseNpmrc(text: string, host: Record<string, string>): Record<string, string> {
  const settings: Record<string, string> = {};
  for (const line of text.split("\n")) {
    const [, key, value] = line.match(/^\s*([a-z-]+)\s*=\s*"?(.*?)"?\s*$/) ?? [];
    if (key === undefined || ![...npmPlain, ...npmPaths].includes(key)) continue;
    const filled = value!.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => host[name] ?? "");
    if (filled !== "" && filled !== "null") settings[key] = filled;
  }
  return settings;
}

async function carryFiles(
  pointing: Record<string, string>,
  visible: (path: string) => boolean,
  env: Record<string, string>,
): Promise<CarriedSettings["files"]> {
  const files = new Map<string, string>();
  for (const [name, path] of Object.entries(pointing)) {
    if (visible(path)) env[name] = path;
    else if (!isFolder(name) && await pathExists(path)) {
      const envPath = files.get(path) ?? `${carriedFolder}/${files.size}-${basename(path)}`;
      files.set(path, envPath);
      env[name] = envPath;
    }
  }
  return [...files].map(([hostPath, envPath]) => ({ hostPath, envPath }));
}

const isFolder = (name: string): boolean => /DIR$|nodedir$/.test(name);
const isIndex = (name: string): boolean => /INDEX_URL$/i.test(name);

/** The URL (or list of URLs) without user and password. */
const withoutCredentials = (value: string): string => value.replaceAll(/\/\/[^/@\s]*@/g, "//");

/** A settings file that PTH may not read counts as absent: npm inside would not read it either. */
async function readQuietly(path: string): Promise<string> {
  return await readTextIfExists(path).catch(() => undefined) ?? "";
}
