/** From what was asked for to what a sandbox is made of. */
import { posix } from "node:path";
import type { EnvironmentSpec } from "../../../machines/model/environment.ts";
import { PthError } from "../../core/errors.ts";
import { pathExists, readTextIfExists, realPath } from "../../platform/files.ts";
import { imageDir, readEnv as hostVariable } from "../../platform/host.ts";
import { type CarriedSettings, carriedSettings } from "../shared/carried_settings.ts";
import { labelVariables } from "../shared/label_variables.ts";
import { hostLayout, imageLayout, type Layout, sandboxSourcePath } from "./layout.ts";
import { isBaseImage, otherImages } from "../images/catalogue.ts";
import type { Method } from "./isolation_support.ts";
import { type SandboxPlan, sourceOf } from "./start_script.ts";

/** All that does not depend on the method. */
export interface Materials {
  layout: Layout;
  shared: SandboxPlan["shared"];
  carried: CarriedSettings;
  files: Record<string, string>;
  hostname: string;
}

/** The image's folder name: `debian12` for `pth-base-debian12` as well. */
const folderOf = (image: string): string => image.replace(/^pth-base-/, "");
const rootfsOf = (image: string): string => `${imageDir()}/${folderOf(image)}/rootfs`;

/** @throws {PthError} `IMAGE_MISSING` */
export async function layoutFor(image: string | undefined): Promise<Layout> {
  if (image === undefined) return await hostLayout();
  const rootfs = rootfsOf(image);
  // A name is no path: it could otherwise lead anywhere.
  if (/^(?!\.+$)[\w.-]+$/.test(image) && await pathExists(rootfs)) return imageLayout(image, rootfs);
  const known = isBaseImage(image);
  const state = known ? "it is not unpacked" : "there is no image of that name";
  throw new PthError("IMAGE_MISSING", `Cannot create sandbox from image ${image}: ${state}`, {
    tried: [rootfs],
    next: [
      ...(known ? [`pth images unpack ${folderOf(image)}`] : otherImages(image, "container")),
      "Leave the image out: the sandbox then shows the host's own programs",
    ],
  });
}

export async function gatherMaterials(spec: EnvironmentSpec): Promise<Materials> {
  const layout = await layoutFor(spec.image);
  const hostname = hostnameOf(spec.environmentId);
  const seen = (path: string) =>
    spec.image === undefined && layout.layers.some((layer) => path.startsWith(`/${layer.path}/`));
  const shared = spec.image === undefined ? await nodeOutside(layout) : [];
  return { layout, hostname, shared, carried: await carriedSettings(seen), files: await ownFiles(hostname) };
}

/** At most 63 characters, the limit of a label. */
const hostnameOf = (environmentId: string): string =>
  `pth-${environmentId}`.replaceAll(/[^\w-]/g, "-").slice(0, 63);

/** @param sandbox Folder of the sandbox. */
export const planSandbox = (
  box: string,
  spec: Pick<EnvironmentSpec, "network">,
  materials: Materials,
  method: Method,
): SandboxPlan => ({
  layout: materials.layout,
  method,
  hostname: materials.hostname,
  shared: materials.shared,
  files: materials.files,
  copies: materials.carried.files,
  source: sourceOf(box),
  ownNetwork: spec.network === "none",
});

const path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

export const variablesOf = (
  spec: EnvironmentSpec,
  { carried, shared }: Materials,
): Record<string, string> => ({
  PATH: [path, ...shared.map(({ envPath }) => `${envPath}/bin`)].join(":"),
  // Nothing of the host's is at this path.
  HOME: posix.dirname(sandboxSourcePath),
  USER: "root",
  LOGNAME: "root",
  SHELL: "/bin/sh",
  ...carried.env,
  ...spec.env,
  ...labelVariables(spec, "sandbox"),
});

/** Name resolution as the host has it, in plain files: the host's may be links into /run, which is not seen. */
async function ownFiles(hostname: string): Promise<Record<string, string>> {
  const read = async (name: string) => await readTextIfExists(`/etc/${name}`).catch(() => undefined) ?? "";
  const names = (text: string) =>
    text.split("\n").map((line) => line.split(":")[0]!).filter((name) => name !== "");
  const [hosts, resolver, users, groups] = await Promise.all(
    ["hosts", "resolv.conf", "passwd", "group"].map(read),
  );
  return {
    "etc/hostname": `${hostname}\n`,
    "etc/hosts": `${hosts!.trimEnd()}\n127.0.1.1 ${hostname}\n`,
    "etc/resolv.conf": resolver!,
    "etc/shadow": names(users!).map((name) => `${name}:*:19000:0:99999:7:::\n`).join(""),
    "etc/gshadow": names(groups!).map((name) => `${name}:*::\n`).join(""),
  };
}

/**
 * A Node that only lives in a home (nvm, fnm, volta): its own folder, which holds nothing private, is shown read-only.
 * Nothing is shown where the system has a Node of its own.
 */
async function nodeOutside(layout: Layout): Promise<SandboxPlan["shared"]> {
  const visible = (file: string) => layout.layers.some((layer) => file.startsWith(`/${layer.path}/`));
  for (const folder of (hostVariable("PATH") ?? "").split(":").concat(path.split(":"))) {
    if (!folder.startsWith("/")) continue;
    const real = await realPath(posix.join(folder, "node")).catch(() => undefined); // no node in this folder
    if (real === undefined) continue;
    if (visible(real) && path.split(":").includes(folder)) return [];
    const prefix = posix.dirname(posix.dirname(real));
    const complete = real.endsWith("/bin/node") && await pathExists(`${prefix}/lib/node_modules/npm`);
    if (complete && !(await pathExists("/usr/bin/node"))) return [{ hostPath: prefix, envPath: "/pth/node" }];
  }
  return [];
}
