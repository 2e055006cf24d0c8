/**
 * libvirt's C functions through `koffi`, loaded when the first machine is wanted. Every call runs on a worker thread
 * and leaves the event loop free.
 */
import process from "node:process";
import { errorMessage, PthError } from "../core/errors.ts";
import { isDeno } from "./deno.ts";
import { isBundled } from "./own_files.ts";
import { rarePackage } from "./rare_package.ts";
import type { NextStep } from "../core/errors.ts";

/** An address in C; never looked into. */
export type NativePointer = { readonly pointer: unique symbol };

/** A C function that answers with a promise. */
type Native<Args extends unknown[], Result> = (...args: Args) => Promise<Result>;

export interface NativeError {
  code: number;
  domain: number;
  message: string | null;
}

export interface NativeInfo {
  state: number;
  /** KiB, both. */
  maxMem: number;
  memory: number;
  nrVirtCpu: number;
  /** Nanoseconds. */
  cpuTime: number | bigint;
}

export interface NativeBlockInfo {
  /** Bytes, all of them. */
  capacity: number | bigint;
  allocation: number | bigint;
  physical: number | bigint;
}

/** The functions that PTH uses, named as in C without their prefix. */
export interface NativeLibrary {
  open: Native<[uri: string], NativePointer | null>;
  close: Native<[conn: NativePointer], number>;
  isAlive: Native<[conn: NativePointer], number>;
  libVersion: Native<[conn: NativePointer, out: number[]], number>;
  hypervisorVersion: Native<[conn: NativePointer, out: number[]], number>;
  capabilities: Native<[conn: NativePointer], string | null>;
  listDomains: Native<[conn: NativePointer, out: (NativePointer | null)[], flags: number], number>;
  lookup: Native<[conn: NativePointer, name: string], NativePointer | null>;
  create: Native<[conn: NativePointer, xml: string, flags: number], NativePointer | null>;
  free: Native<[domain: NativePointer], number>;
  xml: Native<[domain: NativePointer, flags: number], string | null>;
  info: Native<[domain: NativePointer, out: Partial<NativeInfo>], number>;
  blockInfo: Native<
    [domain: NativePointer, disk: string, out: Partial<NativeBlockInfo>, flags: number],
    number
  >;
  memoryStats: Native<[domain: NativePointer, out: Uint8Array, count: number, flags: number], number>;
  suspend: Native<[domain: NativePointer], number>;
  resume: Native<[domain: NativePointer], number>;
  destroy: Native<[domain: NativePointer], number>;
  attach: Native<[domain: NativePointer, xml: string], number>;
  detach: Native<[domain: NativePointer, xml: string], number>;
  monitor: Native<[domain: NativePointer, command: string, out: (string | null)[], flags: number], number>;
  /** Error of the connection's last failed call; undefined when libvirt knows none. */
  lastError(conn: NativePointer): NativeError | undefined;
  /**
   * Reason why `open` fails: opens once more on this thread, whose error can be asked for; undefined if it
   * succeeds now. For a connection that was refused, which is refused again as quickly.
   */
  whyNotOpen(uri: string): string | undefined;
  names(list: NativePointer, count: number): Promise<string[]>;
}

let loaded: Promise<NativeLibrary> | undefined;

/**
 * The library, loaded once.
 * @throws {PthError} `RUNTIME_UNAVAILABLE` where libvirt is not installed
 */
export function libvirtLibrary(): Promise<NativeLibrary> {
  return loaded ??= load().catch((error) => {
    loaded = undefined; // it may be installed while PTH runs
    throw error;
  });
}

const libvirt = "libvirt.so.0";

type Koffi = typeof import("koffi");

async function load(): Promise<NativeLibrary> {
  // Where there is no libvirt, koffi need not be fetched to say so. Deno opens no library without its path.
  if (isBundled() && !isDeno) requireLibrary(libvirt);
  const koffi = await koffiItself();
  const [lib, qemu] = [open(koffi, libvirt), open(koffi, "libvirt-qemu.so.0")];
  const libc = open(koffi, "libc.so.6");
  // A text that libvirt hands out is the caller's to free.
  const text = koffi.disposable("str", libc.func("void free(void *p)"));
  const connection = koffi.pointer(koffi.opaque());
  const machine = koffi.pointer(koffi.opaque());
  const error = koffi.struct({ code: "int", domain: "int", message: "str" });
  const info = koffi.struct({
    state: "uchar",
    maxMem: "ulong",
    memory: "ulong",
    nrVirtCpu: "ushort",
    cpuTime: "uint64",
  });
  const block = koffi.struct({ capacity: "uint64", allocation: "uint64", physical: "uint64" });
  const list = koffi.pointer(machine);

  type Spec = string | ReturnType<Koffi["opaque"]>;
  const from = (source: ReturnType<Koffi["load"]>) =>
  <Args extends unknown[], Result>(
    name: string,
    result: Spec,
    args: Spec[],
  ): Native<Args, Result> => {
    const native = source.func(name, result, args);
    return (...given) =>
      new Promise((resolve, reject) =>
        native.async(
          ...given,
          (failure: unknown, value: Result) => failure ? reject(failure) : resolve(value),
        )
      );
  };
  const f = from(lib);
  const lastError = lib.func("virConnGetLastError", koffi.pointer(error), [connection]);
  const lastMessage = lib.func("virGetLastErrorMessage", "str", []);
  const openNow = lib.func("virConnectOpen", connection, ["str"]);
  const closeNow = lib.func("virConnectClose", "int", [connection]);
  const nameOf = lib.func("virDomainGetName", "str", [machine]);
  const freeDomain = f<[NativePointer], number>("virDomainFree", "int", [machine]);
  const freeMemory = libc.func("void free(void *p)");

  // Without a handler libvirt prints each error on stderr. `free(NULL)` has the shape of a handler and does nothing.
  lib.func("virSetErrorFunc", "void", ["void *", "void *"])(null, libc.symbol("free", "void"));

  return {
    open: f("virConnectOpen", connection, ["str"]),
    close: f("virConnectClose", "int", [connection]),
    isAlive: f("virConnectIsAlive", "int", [connection]),
    libVersion: f("virConnectGetLibVersion", "int", [connection, koffi.out(koffi.pointer("ulong"))]),
    hypervisorVersion: f("virConnectGetVersion", "int", [connection, koffi.out(koffi.pointer("ulong"))]),
    capabilities: f("virConnectGetCapabilities", text, [connection]),
    listDomains: f("virConnectListAllDomains", "int", [connection, koffi.out(koffi.pointer(list)), "uint"]),
    lookup: f("virDomainLookupByName", machine, [connection, "str"]),
    create: f("virDomainCreateXML", machine, [connection, "str", "uint"]),
    free: freeDomain,
    xml: f("virDomainGetXMLDesc", text, [machine, "uint"]),
    info: f("virDomainGetInfo", "int", [machine, koffi.out(koffi.pointer(info))]),
    blockInfo: f("virDomainGetBlockInfo", "int", [machine, "str", koffi.out(koffi.pointer(block)), "uint"]),
    memoryStats: f("virDomainMemoryStats", "int", [machine, "void *", "uint", "uint"]),
    suspend: f("virDomainSuspend", "int", [machine]),
    resume: f("virDomainResume", "int", [machine]),
    destroy: f("virDomainDestroy", "int", [machine]),
    attach: f("virDomainAttachDevice", "int", [machine, "str"]),
    detach: f("virDomainDetachDevice", "int", [machine, "str"]),
    monitor: from(qemu)("virDomainQemuMonitorCommand", "int", [
      machine,
      "str",
      koffi.out(koffi.pointer(text)),
      "uint",
    ]),
    lastError(conn) {
      const found: unknown = lastError(conn);
      return found === null ? undefined : koffi.decode(found, error) as NativeError;
    },
    whyNotOpen(uri) {
      const conn: unknown = openNow(uri);
      if (conn === null) return lastMessage() as string;
      closeNow(conn);
      return undefined;
    },
    async names(found, count) {
      const machines = koffi.decode(found, machine, count) as NativePointer[];
      const names = machines.map((one) => nameOf(one) as string);
      for (const one of machines) await freeDomain(one);
      freeMemory(found);
      return names;
    },
  };
}

/** Node opens the library, and complains that it is no module of its own. */
function requireLibrary(file: string): void {
  try {
    process.dlopen({ exports: {} }, file);
  } catch (error) {
    if (!errorMessage(error).includes("did not self-register")) throw notInstalled(file, error);
  }
}

const rareKoffi = { name: "koffi", purpose: "calls libvirt", load: () => import("koffi") };

async function koffiItself(): Promise<Koffi> {
  try {
    return (await rarePackage(rareKoffi)).default as unknown as Koffi;
  } catch (cause) {
    const next = cause instanceof PthError ? cause.context.next : undefined;
    throw unavailable(
      "Cannot use libvirt: koffi, which calls it, cannot be loaded",
      cause,
      next ?? ["Install PTH's dependencies: npm install"],
    );
  }
}

function open(koffi: Koffi, file: string): ReturnType<Koffi["load"]> {
  try {
    return koffi.load(file);
  } catch (cause) {
    throw notInstalled(file, cause);
  }
}

const notInstalled = (file: string, cause: unknown): PthError =>
  unavailable(`Cannot use libvirt: ${file} is not installed`, cause, [
    "Install it: scripts/setup-host.sh --with-vm",
  ]);

const unavailable = (message: string, cause: unknown, next: NextStep[]): PthError =>
  new PthError("RUNTIME_UNAVAILABLE", message, {
    output: errorMessage(cause),
    next,
  }, { cause });
