/** A real sshd on a loopback port with keys and settings of its own, and a runtime whose "machine" it is. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Test } from "tap";
import { runCommand, signalProcess } from "../../../src/platform/process.ts";
import type { SshTarget } from "../../../src/platform/ssh.ts";
import { eventually, freePort } from "../../contracts/runtime/context.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";

const sshd = "/usr/sbin/sshd";

/** Why there can be none here, if so. */
export function whyNoSshd(): string | undefined {
  if (!existsSync(sshd)) return "no sshd here: apt-get install openssh-server";
  return process.getuid?.() === 0 ? undefined : "sshd is started as root only";
}

export interface SshServer {
  target: SshTarget;
  /** Ends the sessions that are open, as a cut cable would; the server itself goes on. */
  cut(): Promise<void>;
  /** Leaves the open sessions without an answer, as a machine does that is not there any more; new ones are answered. */
  freeze(): Promise<void>;
  /** Ends the server, then its sessions. */
  stop(): Promise<void>;
}

export async function startSshd(t: Test, settings: string[] = []): Promise<SshServer> {
  const folder = await temporaryFolder(t);
  const port = await freePort();
  for (const name of ["host", "user"]) {
    await runCommand(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", join(folder, name)]);
  }
  await chmod(folder, 0o700);
  const lines = [
    `Port ${port}`,
    "ListenAddress 127.0.0.1",
    `HostKey "${folder}/host"`,
    `AuthorizedKeysFile "${folder}/user.pub"`,
    "PidFile none",
    "UsePAM no",
    "StrictModes no",
    "PermitRootLogin yes",
    ...settings,
  ];
  await writeFile(join(folder, "config"), lines.join("\n"));
  await runCommand(["mkdir", "-p", "/run/sshd"]); // where sshd wants to lock itself up
  const server = spawn(sshd, ["-D", "-e", "-f", join(folder, "config")], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  server.stderr.on("data", (piece) => said += piece);
  const sessions = async () => {
    const { stdout } = await runCommand(["ps", "-o", "pid=", "--ppid", String(server.pid)]);
    return stdout.split("\n").filter((line) => line.trim() !== "").map(Number);
  };
  // A session may end by itself meanwhile.
  const cut = async () => {
    for (const pid of await sessions()) signalProcess(pid, "SIGKILL");
  };
  const freeze = async () => {
    for (const pid of await sessions()) signalProcess(pid, "SIGSTOP");
  };
  const stop = async () => {
    const open = await sessions();
    server.kill("SIGKILL");
    for (const pid of open) signalProcess(pid, "SIGKILL");
    if (server.exitCode === null && server.signalCode === null) await once(server, "exit");
  };
  t.teardown(stop);
  const listens = () => Promise.resolve(said.includes("Server listening on") || server.exitCode !== null);
  if (!await eventually(listens) || server.exitCode !== null) {
    throw new Error(`sshd does not listen: ${said}`);
  }
  const [privateKey, hostKey] = await Promise.all([
    readFile(join(folder, "user"), "utf8"),
    readFile(join(folder, "host.pub"), "utf8"),
  ]);
  return { target: { host: "127.0.0.1", port, username: "root", privateKey, hostKey }, cut, freeze, stop };
}

const programs = "sh bash env setsid mkdir tar grep cut kill cat find xargs rm true date".split(" ");

/** Settings of a server whose logins find all that is needed but python3. */
export async function withoutPython(t: Test): Promise<string[]> {
  const folder = await temporaryFolder(t);
  for (const program of programs) await symlink(`/usr/bin/${program}`, join(folder, program));
  return [`SetEnv "PATH=${folder}"`];
}
