/**
 * The device by which a guest sees a folder of the host, in and out of a machine that runs. A machine that has one can be
 * neither saved nor taken back in time, so it is there only in between.
 */
import { setTimeout as later } from "node:timers/promises";
import { PthError } from "../../../errors.ts";
import type { Domain } from "../../../platform/libvirt.ts";
import { element } from "../xml.ts";

/** Devices of other people's carry other names. */
const prefix = "pth-source-";

/** How long a guest may take to let go of a device, in ms: an emulated one that is busy needs seconds. */
const goneWithin = 30_000;
const pauseMs = 20;

/** As QEMU's monitor knows the device. */
const aliasOf = (tag: string): string => `ua-${tag}`;

/**
 * The description of a device that shows the folder, in which root in the guest is root on the host, under this tag.
 * Nothing is cached: an edit on either side is seen on the other at once. Locks are the guest's own, since virtiofsd
 * knows no lock that waits.
 * @throws {PthError} `INVALID_INPUT` for a path with control characters
 */
export function deviceXml(tag: string, hostPath: string): string {
  return element(
    "filesystem",
    { type: "mount", accessmode: "passthrough" },
    element("driver", { type: "virtiofs", queue: 1024 }),
    element("binary", { xattr: "on" }, element("cache", { mode: "none" })),
    element("source", { dir: hostPath }),
    element("target", { dir: tag }),
    element("alias", { name: aliasOf(tag) }),
  ).text;
}

/** Tags of the devices of ours that a machine's description holds. Pure. */
export function tagsIn(domainXml: string): string[] {
  const targets = domainXml.matchAll(/<filesystem\b[\s\S]*?<target dir='([^']*)'\/>[\s\S]*?<\/filesystem>/g);
  return [...targets].map(([, tag]) => tag!).filter((tag) => tag.startsWith(prefix));
}

/** Adds a device and answers its tag. @throws {PthError} `EXEC_FAILED` with libvirt's words */
export async function attachSource(domain: Domain, hostPath: string): Promise<string> {
  // A name of its own each time: libvirt may still be putting away what the last one left.
  const tag = `${prefix}${crypto.randomUUID().slice(0, 8)}`;
  await domain.attachDevice(deviceXml(tag, hostPath));
  return tag;
}

/** Takes all devices of ours out, which the guest has to agree to. @throws {PthError} `SNAPSHOT_FAILED` */
export async function detachSource(domain: Domain): Promise<void> {
  for (const tag of tagsIn(await domain.xml())) await domain.detachDevice(deviceXml(tag, "/"));
  const deadline = performance.now() + goneWithin;
  for (;;) {
    const left = tagsIn(await domain.xml());
    if (left.length === 0) return;
    if (performance.now() > deadline) throw notGone(left);
    await later(pauseMs);
  }
}

const notGone = (left: string[]): PthError =>
  new PthError(
    "SNAPSHOT_FAILED",
    `Cannot take the source out of the machine: its guest did not let go within ${goneWithin / 1000} s`,
    { devices: left, next: ["Share it another way: PTH_VM_SHARE=sync and a new environment"] },
  );

/**
 * Takes them out of a machine that is about to go back in time, also where its guest is broken: QEMU carries out at the
 * reset with which a state begins to load what a guest has not agreed to.
 */
export async function pullSource(domain: Domain): Promise<void> {
  for (const tag of tagsIn(await domain.xml())) await domain.monitorCommand(`device_del ${aliasOf(tag)}`);
}
