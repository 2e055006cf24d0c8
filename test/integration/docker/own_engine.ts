/** A container engine of the test's own, to be stopped and started: nobody else's is touched. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { type HostProcess, runCommand, spawnProcess } from "../../../src/platform/process.ts";

export interface OwnEngine {
  /** For `DOCKER_HOST`. */
  address: string;
  start(): Promise<void>;
  /** It lives and does not answer, until it is thawed. */
  freeze(): void;
  thaw(): void;
  /** Its containers end with it. */
  stop(): Promise<void>;
  /** Stops it and removes all that it made. */
  remove(): Promise<void>;
  docker(...args: string[]): Promise<string>;
}

/** Why there can be none here; undefined where there can. */
export async function whyNoOwnEngine(): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return "an engine of one's own needs root";
  const found = await runCommand([
    "sh",
    "-c",
    "command -v dockerd && command -v unshare && command -v docker",
  ]);
  return found.code === 0 ? undefined : "dockerd, docker or unshare is not installed";
}

export async function makeOwnEngine(): Promise<OwnEngine> {
  const folder = await mkdtemp(join(tmpdir(), "pth-engine-"));
  const address = `unix://${folder}/docker.sock`;
  const docker = async (...args: string[]) => {
    const { code, stdout, stderr } = await runCommand(["docker", "--host", address, ...args]);
    if (code !== 0) throw new Error(`docker ${args[0]}: ${stderr}`);
    return stdout.trim();
  };
  let engine: HostProcess | undefined;
  let said = "";

  async function start(): Promise<void> {
    // A network namespace of its own: without a bridge it would delete docker0, which may be another engine's.
    const words = ["unshare", "--net", "dockerd", "--bridge=none", "--iptables=false", "--ip6tables=false"];
    const places = [`--data-root=${folder}/data`, `--exec-root=${folder}/exec`, `--pidfile=${folder}/pid`];
    engine = await spawnProcess([...words, ...places, `--host=${address}`], { ownGroup: true });
    for (const stream of [engine.stdout, engine.stderr]) {
      stream.on("data", (chunk) => said = (said + String(chunk)).slice(-4000));
    }
    const deadline = Date.now() + 60_000;
    while ((await runCommand(["docker", "--host", address, "version"])).code !== 0) {
      if (Date.now() > deadline) throw new Error(`The engine does not answer: ${said}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  async function stop(): Promise<void> {
    engine?.kill("SIGTERM");
    await engine?.ended;
    engine = undefined;
  }

  async function remove(): Promise<void> {
    await stop();
    // What its storage mounted goes first.
    await runCommand([
      "sh",
      "-c",
      'grep -o "$1/[^ ]*" /proc/mounts | sort -r | xargs -r umount -l',
      "sh",
      folder,
    ]);
    await rm(folder, { recursive: true, force: true });
  }

  const freeze = () => engine?.kill("SIGSTOP");
  const thaw = () => engine?.kill("SIGCONT");
  return { address, start, stop, freeze, thaw, remove, docker };
}

/** Programs that PTH's scripts and a server in JavaScript need. */
const programs =
  "sh cat ls grep sed cut tr df tail head find id uname hostname mkdir rm chmod chown sort md5sum sha256sum wc tar env " +
  "nproc dirname basename stat true sleep kill awk date xargs touch cp mv ln printf tee seq ps node";

/** An image of the host's own programs: smaller than a base image, and made in a moment. */
export async function importHostPrograms({ docker, address }: OwnEngine, tag: string): Promise<void> {
  const script = `
    files=$(for p in ${programs}; do command -v "$p" | grep ^/; done)
    real=$(for f in $files; do readlink -f "$f"; done)
    libs=$(for f in $real; do ldd "$f" 2>/dev/null | grep -o '/[^ ]*'; done | sort -u)
    mkdir -p "$1/root/tmp" "$1/root/etc" "$1/root/proc" "$1/root/dev"
    echo 'root:x:0:0:root:/root:/bin/sh' >"$1/root/etc/passwd"
    cp /etc/os-release "$1/root/etc/"
    for f in $files $libs; do mkdir -p "$1/root$(dirname "$f")"; cp -L "$f" "$1/root$f"; done
    tar -C "$1/root" -c . | docker --host "$2" import - "$3"`;
  const folder = await mkdtemp(join(tmpdir(), "pth-image-"));
  try {
    const { code, stderr } = await runCommand(["sh", "-c", script, "sh", folder, address, tag]);
    if (code !== 0) throw new Error(stderr);
    await docker("image", "inspect", tag);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
