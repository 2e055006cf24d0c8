/**
 * libvirt's hypervisor and domains, with the names that `node-libvirt` gave them.
 *
 * libvirt keeps one error for each connection, so a connection serves one call at a time; calls side by side get one
 * each. A domain is known by its name and looked up for each call: one that is gone, or a daemon that was started
 * again, is seen at once.
 */
import { PthError } from "../core/errors.ts";
import type { NativeBlockInfo, NativeInfo, NativeLibrary, NativePointer } from "./libvirt_library.ts";
import { libvirtLibrary } from "./libvirt_library.ts";

/** Libvirt's description of a failure, in `PthError.context.libvirt`. */
export interface LibvirtFailure {
  /** `virErrorNumber`, for example 42: no such domain. */
  code: number;
  /** `virErrorDomain`: which part of libvirt said it. */
  domain: number;
}

/** @see https://libvirt.org/html/libvirt-virterror.html */
const noDomain = 42;

export type DomainState =
  | "nostate"
  | "running"
  | "blocked"
  | "paused"
  | "shutdown"
  | "shutoff"
  | "crashed"
  | "suspended";
const states: readonly DomainState[] = [
  "nostate",
  "running",
  "blocked",
  "paused",
  "shutdown",
  "shutoff",
  "crashed",
  "suspended",
];

export interface DomainInfo {
  state: DomainState;
  memoryMB: number;
  maxMemoryMB: number;
  cpus: number;
  cpuSeconds: number;
}

/** Facts that the host knows of a machine without asking what runs in it, as `virsh domstats` prints them. */
export interface DomainStats extends DomainInfo {
  /** From the balloon; absent where the guest's driver does not tell. In MB. */
  memory: { unusedMB?: number; usableMB?: number; residentMB?: number };
  /** Bytes: the disk as the guest sees it, and what it takes on the host. */
  disk?: { capacity: number; allocation: number };
}

/** Most connections held at once; each call in flight also holds one of the process's worker threads. */
const mostConnections = 3;

export class Hypervisor {
  readonly uri: string;
  #library: NativeLibrary;
  #idle: NativePointer[] = [];
  #open = 0;
  #waiting: (() => void)[] = [];
  #closed = false;

  private constructor(uri: string, library: NativeLibrary) {
    this.uri = uri;
    this.#library = library;
  }

  /**
   * Connects. `close` it in the end.
   * @throws {PthError} `RUNTIME_UNAVAILABLE` where libvirt is not installed or refuses
   */
  static async open(uri: string): Promise<Hypervisor> {
    const hypervisor = new Hypervisor(uri, await libvirtLibrary());
    await hypervisor.#giveBack(await hypervisor.#acquire(), false);
    return hypervisor;
  }

  /** Waits for calls in flight; the hypervisor cannot be used afterwards. */
  async close(): Promise<void> {
    this.#closed = true;
    while (this.#open > this.#idle.length) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    for (const connection of this.#idle.splice(0)) {
      await this.#library.close(connection);
      this.#open--;
    }
  }

  /** For people and keys: `libvirt 9.0.0, QEMU 7.2.22`. */
  async version(): Promise<string> {
    const [own, hypervisor] = [[0], [0]];
    await this.call("ask libvirt for its version", (connection) => this.#library.libVersion(connection, own));
    await this.call(
      "ask for QEMU's version",
      async (connection) => succeeded(await this.#library.hypervisorVersion(connection, hypervisor)),
    );
    return `libvirt ${versionText(own[0]!)}, QEMU ${versionText(hypervisor[0]!)}`;
  }

  /** XML: what machines it can run, and how. */
  capabilities(): Promise<string> {
    return this.call("ask libvirt what it can do", (connection) => this.#library.capabilities(connection));
  }

  /** All domains that run (or are defined), of any maker. */
  async domains(): Promise<Domain[]> {
    const names = await this.call("list machines", async (connection) => {
      const out: (NativePointer | null)[] = [null];
      const count = succeeded(await this.#library.listDomains(connection, out, 0));
      return count === undefined ? undefined : await this.#library.names(out[0]!, count);
    });
    return names.map((name) => new Domain(this, name));
  }

  /** The domain of this name; undefined where there is none. */
  async lookup(name: string): Promise<Domain | undefined> {
    const domain = new Domain(this, name);
    return await domain.exists() ? domain : undefined;
  }

  /** Starts a machine that is forgotten once it ends. */
  async create(xml: string, { paused = false } = {}): Promise<Domain> {
    const name = await this.call("create the machine", async (connection) => {
      const pointer = await this.#library.create(connection, xml, paused ? 1 : 0);
      if (pointer === null) return undefined;
      await this.#library.free(pointer);
      return xml.match(/<name>([^<]*)<\/name>/)?.[1] ?? "";
    });
    return new Domain(this, name);
  }

  /**
   * Runs one call on a connection of its own. An answer of `undefined` or `null` is a failure of libvirt's.
   * @throws {PthError} `EXEC_FAILED` with libvirt's words, or `RUNTIME_UNAVAILABLE`
   */
  async call<Result>(
    action: string,
    ask: (connection: NativePointer, library: NativeLibrary) => Promise<Result | null | undefined>,
  ): Promise<Exclude<Result, null | undefined>> {
    const connection = await this.#acquire();
    let broken = false;
    try {
      const result = await ask(connection, this.#library);
      if (result !== null && result !== undefined) return result as Exclude<Result, null | undefined>;
      const failure = this.#library.lastError(connection);
      broken = await this.#library.isAlive(connection) !== 1;
      throw failed(action, failure);
    } finally {
      await this.#giveBack(connection, broken);
    }
  }

  async #acquire(): Promise<NativePointer> {
    while (!this.#closed && this.#idle.length === 0 && this.#open >= mostConnections) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    try {
      return await this.#take();
    } catch (error) {
      this.#wakeNext(); // who waits behind would wait for ever
      throw error;
    }
  }

  async #take(): Promise<NativePointer> {
    if (this.#closed) {
      throw new PthError("RUNTIME_UNAVAILABLE", "Cannot ask libvirt: the connection is closed");
    }
    for (;;) {
      const idle = this.#idle.pop();
      if (idle === undefined) return await this.#connect();
      if (await this.#answers(idle)) return idle;
      await this.#giveBack(idle, true);
    }
  }

  /**
   * Whether a connection answers: its daemon may have been restarted, which is noticed only by asking it
   * something.
   */
  async #answers(idle: NativePointer): Promise<boolean> {
    return await this.#library.isAlive(idle) === 1 && await this.#library.libVersion(idle, [0]) === 0;
  }

  async #connect(): Promise<NativePointer> {
    this.#open++;
    const connection = await this.#library.open(this.uri).catch(() => null); // why, is asked below
    if (connection !== null) return connection;
    this.#open--;
    const why = this.#library.whyNotOpen(this.uri);
    if (why === undefined) return await this.#connect();
    throw new PthError(
      "RUNTIME_UNAVAILABLE",
      `Cannot connect to libvirt: ${this.uri} does not answer (${why})`,
      {
        next: [
          "Start it: scripts/setup-host.sh --with-vm",
          "Name another daemon in PTH_LIBVIRT_URI, for example qemu:///session",
        ],
      },
    );
  }

  async #giveBack(connection: NativePointer, broken: boolean): Promise<void> {
    if (broken) {
      this.#open--;
      await this.#library.close(connection);
    } else this.#idle.push(connection);
    this.#wakeNext();
  }

  #wakeNext(): void {
    this.#waiting.shift()?.();
  }
}

/** A machine, known by its name. Every call throws `PthError` where there is no such machine any more. */
export class Domain {
  readonly name: string;
  #hypervisor: Hypervisor;

  constructor(hypervisor: Hypervisor, name: string) {
    this.#hypervisor = hypervisor;
    this.name = name;
  }

  async exists(): Promise<boolean> {
    try {
      await this.#ask("look for the machine", () => Promise.resolve(true));
      return true;
    } catch (error) {
      if (isNoDomain(error)) return false;
      throw error;
    }
  }

  xml(): Promise<string> {
    return this.#ask("describe the machine", (domain, library) => library.xml(domain, 0));
  }

  async info(): Promise<DomainInfo> {
    const raw: Partial<NativeInfo> = {};
    await this.#ask(
      "ask for the machine's state",
      async (domain, library) => succeeded(await library.info(domain, raw)),
    );
    const info = raw as NativeInfo;
    return {
      state: states[info.state] ?? "nostate",
      memoryMB: Math.round(info.memory / 1024),
      maxMemoryMB: Math.round(info.maxMem / 1024),
      cpus: info.nrVirtCpu,
      cpuSeconds: Number(info.cpuTime) / 1e9,
    };
  }

  /** @param disk Target of the disk, for example `vda`. */
  async stats(disk?: string): Promise<DomainStats> {
    const [info, memory] = [await this.info(), await this.memoryStats()];
    if (disk === undefined) return { ...info, memory };
    const raw: Partial<NativeBlockInfo> = {};
    await this.#ask(
      "ask for the machine's disk",
      async (domain, library) => succeeded(await library.blockInfo(domain, disk, raw, 0)),
    );
    const { capacity, allocation } = raw as NativeBlockInfo;
    return { ...info, memory, disk: { capacity: Number(capacity), allocation: Number(allocation) } };
  }

  /** Reads the balloon's figures. @see virDomainMemoryStatTags */
  async memoryStats(): Promise<DomainStats["memory"]> {
    const [most, size] = [16, 16];
    const raw = new Uint8Array(most * size);
    const count = await this.#ask(
      "ask for the machine's memory",
      async (domain, library) => succeeded(await library.memoryStats(domain, raw, most, 0)),
    );
    const view = new DataView(raw.buffer);
    const names = new Map([[4, "unusedMB"], [7, "residentMB"], [8, "usableMB"]]);
    const found: Record<string, number> = {};
    for (let at = 0; at < count * size; at += size) {
      const name = names.get(view.getInt32(at, true));
      if (name !== undefined) found[name] = Math.round(Number(view.getBigUint64(at + 8, true)) / 1024);
    }
    return found;
  }

  async suspend(): Promise<void> {
    await this.#do("pause the machine", (domain, library) => library.suspend(domain));
  }

  async resume(): Promise<void> {
    await this.#do("resume the machine", (domain, library) => library.resume(domain));
  }

  /** Ends it as if its power was cut; one that is gone is no error. */
  async destroy(): Promise<void> {
    try {
      await this.#do("end the machine", (domain, library) => library.destroy(domain));
    } catch (error) {
      if (!isNoDomain(error) && await this.exists()) throw error;
    }
  }

  async attachDevice(xml: string): Promise<void> {
    await this.#do("attach a device", (domain, library) => library.attach(domain, xml));
  }

  /** Asks the guest to let go of a device; it is gone once `xml()` does not hold it any more. */
  async detachDevice(xml: string): Promise<void> {
    await this.#do("detach a device", (domain, library) => library.detach(domain, xml));
  }

  /** A command of QEMU's human monitor; answers with text. */
  async monitorCommand(command: string): Promise<string> {
    const out: (string | null)[] = [null];
    await this.#do(
      `tell QEMU "${command.split(" ")[0]}"`,
      (domain, library) => library.monitor(domain, command, out, humanMonitor),
    );
    return out[0] ?? "";
  }

  async #do(
    action: string,
    act: (domain: NativePointer, library: NativeLibrary) => Promise<number>,
  ): Promise<void> {
    await this.#ask(action, async (domain, library) => succeeded(await act(domain, library)));
  }

  #ask<Result>(
    action: string,
    ask: (domain: NativePointer, library: NativeLibrary) => Promise<Result | null | undefined>,
  ): Promise<Exclude<Result, null | undefined>> {
    return this.#hypervisor.call(action, async (connection, library) => {
      const domain = await library.lookup(connection, this.name);
      if (domain === null) return undefined;
      try {
        return await ask(domain, library);
      } finally {
        await library.free(domain); // the connection keeps the error that is to be read
      }
    });
  }
}

/** True for an error that says that there is no such machine (any more). */
const isNoDomain = (error: unknown): boolean =>
  error instanceof PthError &&
  (error.context.libvirt as LibvirtFailure | undefined)?.code === noDomain;

/** `VIR_DOMAIN_QEMU_MONITOR_COMMAND_HMP` */
const humanMonitor = 1;

/** Numbers below zero are libvirt's failures. */
const succeeded = (result: number): number | undefined => result < 0 ? undefined : result;

function failed(
  action: string,
  failure: { code: number; domain: number; message: string | null } | undefined,
) {
  const words = failure?.message ?? "libvirt does not say why";
  return new PthError("EXEC_FAILED", `Cannot ${action}: ${words}`, {
    ...(failure && { libvirt: { code: failure.code, domain: failure.domain } satisfies LibvirtFailure }),
  });
}

/** 9000000 → 9.0.0 */
const versionText = (version: number): string =>
  `${Math.floor(version / 1e6)}.${Math.floor(version / 1000) % 1000}.${version % 1000}`;
