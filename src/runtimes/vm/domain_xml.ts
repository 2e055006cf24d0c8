import { portName } from "./waiting_script.ts";
import { PthError } from "../../core/errors.ts";
import type { Owner } from "../../platform/proc.ts";

/** A piece of XML that is complete in itself. */
class Xml {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
  toString(): string {
    return this.text;
  }
}

type Attributes = Record<string, string | number | undefined>;

/** Text is escaped; what is absent leaves nothing. */
type Child = Xml | string | number | undefined | false;

/**
 * An element with attributes (those without a value are left out) and children, in order.
 *
 * @example
 * ```ts
 * element("name", {}, "<odd> & sons").text; // <name>&lt;odd&gt; &amp; sons</name>
 * ```
 * @throws {PthError} `INVALID_INPUT` for control characters, which XML cannot hold
 */
export function element(name: string, attributes: Attributes = {}, ...children: Child[]): Xml {
  if (!/^[a-zA-Z_][\w.:-]*$/.test(name)) throw new TypeError(`"${name}" cannot name an element`);
  const attributeText = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}='${escape(String(value))}'`)
    .join("");
  const inner = children.map((child) => {
    if (child === undefined || child === false) return "";
    return child instanceof Xml ? child.text : escape(String(child));
  }).join("");
  return new Xml(inner === "" ? `<${name}${attributeText}/>` : `<${name}${attributeText}>${inner}</${name}>`);
}

const entities: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  "'": "&apos;",
  '"': "&quot;",
};

function escape(text: string): string {
  // XML 1.0 has no way to write these, and a lone surrogate is no character.
  // deno-lint-ignore no-control-regex
  if (/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/.test(text) || !text.isWellFormed()) {
    throw new PthError(
      "INVALID_INPUT",
      `Cannot describe a machine: ${JSON.stringify(text)} holds control characters`,
      { next: ["Use names and paths without control characters"] },
    );
  }
  return text.replaceAll(/[&<>'"]/g, (mark) => entities[mark]!).replaceAll(
    /[\t\n\r]/g,
    (space) => `&#${space.charCodeAt(0)};`,
  );
}

/** The text between the first `<name …>` and its end, as libvirt wrote it; undefined where there is none. */
export function textOf(xml: string, name: string): string | undefined {
  const found = xml.match(new RegExp(`<${name}(?:\\s[^>]*)?>([^<]*)</${name}>`))?.[1];
  return found?.replaceAll(/&(lt|gt|amp|apos|quot);/g, (entity) => characters[entity]!);
}

const characters = Object.fromEntries(Object.entries(entities).map(([mark, entity]) => [entity, mark]));

export type Accelerator = "kvm" | "tcg";

/** Owner of a machine, stored in its description as labels are on a container. */
export interface DomainMark {
  environmentId: string;
  sessionId: string;
  owner: Owner;
}

export interface DomainPlan {
  name: string;
  mark: DomainMark;
  cpus: number;
  memoryMB: number;
  accelerator: Accelerator;
  /** qcow2 of its own. */
  disk: string;
  /** Boots this kernel; absent: what is on the disk. */
  boot?: { kernel: string; initrd?: string; arguments: string };
  /** File that takes what the guest says on its first serial port. */
  console: string;
  /** True if its agent is reached at a port of its own (`waiting_script.ts`). */
  agentPort?: boolean;
  /** QEMU runs as root instead of as libvirt's own user, who may not reach the folders of root's PTH. */
  asRoot?: boolean;
}

const namespaceOfMark = "https://github.com/plugin-test-harness/domain";

/** Fixed, so that a restored machine finds its network card as it was. Each machine has a network of its own. */
const mac = "52:54:00:70:74:68";

/** The netdev's name, by which QEMU's monitor forwards ports. */
export const netdev = "hostnet0";
/** The target of the disk. */
export const diskTarget = "vda";

/** @throws {PthError} `INVALID_INPUT` for names and paths with control characters */
export function domainXml(plan: DomainPlan): string {
  return element(
    "domain",
    { type: plan.accelerator === "kvm" ? "kvm" : "qemu" },
    element("name", {}, plan.name),
    element("metadata", {}, markElement(plan.mark)),
    element("memory", { unit: "MiB" }, plan.memoryMB),
    element("vcpu", {}, plan.cpus),
    osElement(plan),
    element("features", {}, element("acpi"), element("apic")),
    cpuElement(plan.accelerator),
    element("clock", { offset: "utc" }),
    element("on_poweroff", {}, "destroy"),
    // A guest that restarts has lost the server under test, the mounts and its clock: as gone as one that ended.
    element("on_reboot", {}, "destroy"),
    element("on_crash", {}, "destroy"),
    devicesElement(plan),
    plan.asRoot === true && rootLabel,
  ).text;
}

const rootLabel = element(
  "seclabel",
  { type: "static", model: "dac", relabel: "no" },
  element("label", {}, "+0:+0"),
);

const markElement = ({ environmentId, sessionId, owner }: DomainMark): Xml =>
  element(
    "pth:environment",
    { "xmlns:pth": namespaceOfMark },
    element("pth:id", {}, environmentId),
    element("pth:session", {}, sessionId),
    element("pth:owner", {}, `${owner.pid}/${owner.startTime ?? ""}`),
  );

/** Reads the owner of a machine from its description; undefined where PTH did not make it. */
export function domainLabel(xml: string): DomainMark | undefined {
  const [environmentId, sessionId] = [textOf(xml, "pth:id"), textOf(xml, "pth:session")];
  const [pid, startTime] = (textOf(xml, "pth:owner") ?? "").split("/");
  if (environmentId === undefined || sessionId === undefined || !pid) return undefined;
  return { environmentId, sessionId, owner: { pid: Number(pid), ...(startTime ? { startTime } : {}) } };
}

/** The agent's port on the host; undefined where the machine has none. Pure. */
export function agentPortIn(xml: string): { path: string; held: boolean } | undefined {
  for (const [channel] of xml.matchAll(/<channel\b[\s\S]*?<\/channel>/g)) {
    const path = channel.match(/<source mode='bind' path='([^']*)'/)?.[1];
    if (path === undefined || !channel.includes(`name='${portName}'`)) continue;
    return { path, held: channel.includes("state='connected'") };
  }
  return undefined;
}

function osElement({ boot }: DomainPlan): Xml {
  const type = element("type", { arch: "x86_64", machine: boot ? "pc" : "q35" }, "hvm");
  if (boot === undefined) return element("os", {}, type, element("boot", { dev: "hd" }));
  return element(
    "os",
    {},
    type,
    element("kernel", {}, boot.kernel),
    boot.initrd !== undefined && element("initrd", {}, boot.initrd),
    element("cmdline", {}, boot.arguments),
  );
}

/**
 * Emulation is quick with a plain processor, but programs of today need more than the plainest: Claude Code ends with SIGILL
 * on a qemu64. With KVM the guest gets the host's own.
 */
const cpuElement = (accelerator: Accelerator): Xml =>
  accelerator === "kvm"
    ? element("cpu", { mode: "host-passthrough", check: "none", migratable: "on" })
    : element(
      "cpu",
      { mode: "custom", match: "exact", check: "none" },
      element("model", { fallback: "forbid" }, "Nehalem"),
    );

function devicesElement({ disk, boot, console, agentPort }: DomainPlan): Xml {
  return element(
    "devices",
    {},
    diskElement(disk),
    element(
      "interface",
      { type: "user" },
      element("mac", { address: mac }),
      element("model", { type: "virtio" }),
      element("rom", { enabled: "no" }),
    ),
    element(
      "channel",
      { type: "unix" },
      element("target", { type: "virtio", name: "org.qemu.guest_agent.0" }),
    ),
    agentPort === true && element(
      "channel",
      { type: "unix" },
      element("source", { mode: "bind" }), // where only libvirt's own users come
      element("target", { type: "virtio", name: portName }),
    ),
    element("rng", { model: "virtio" }, element("backend", { model: "random" }, "/dev/urandom")),
    element(
      "serial",
      { type: "file" },
      element("source", { path: console, append: "on" }),
      element("target", { port: 0 }),
    ),
    element("memballoon", { model: "virtio" }, element("stats", { period: 5 })),
    ...(boot === undefined ? freePorts : []),
  );
}

/** Disk without flushes: it need not survive a crash of the host, as it lives only as long as the session. */
const diskElement = (path: string): Xml =>
  element(
    "disk",
    { type: "file", device: "disk" },
    element("driver", { name: "qemu", type: "qcow2", cache: "unsafe", discard: "unmap" }),
    element("source", { file: path }),
    element("target", { dev: diskTarget, bus: "virtio" }),
  );

/** A q35 takes devices into a running machine only where a port was left for them (virtiofs is one). */
const freePorts: Child[] = Array.from(
  { length: 12 },
  () => element("controller", { type: "pci", model: "pcie-root-port" }),
);
