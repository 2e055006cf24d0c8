// test: timeout=180
// A guest over a real sshd keeps the parts of the runtime contract that are its own: commands, live processes, files, ports.
import process from "node:process";
import t from "tap";
import { PthError } from "../../../src/core/errors.ts";
import type { EnvironmentHandle } from "../../../machines/model/environment.ts";
import type { EnvironmentRuntime } from "../../../src/runtimes/runtime.ts";
import { forwardHostPort } from "../../../src/runtimes/network/forward_host_port.ts";
import { bringSource, unpackBy } from "../../../src/runtimes/shared/source/bring_source.ts";
import { type Guest, openGuest } from "../../../src/runtimes/vm/guest.ts";
import { execPart } from "../../contracts/runtime/exec_part.ts";
import { filesPart } from "../../contracts/runtime/files_part.ts";
import { hostPortPart } from "../../contracts/runtime/host_port_part.ts";
import { spawnPart } from "../../contracts/runtime/spawn_part.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";
import { startSshd, whyNoSshd, withoutPython } from "./ssh_server.ts";

t.setTimeout(180_000);
const skip = whyNoSshd();

/** The members that the parts use; the others are a runtime's own, and say so. */
function runtimeOf(guest: Guest): EnvironmentRuntime {
  const notHere = () => Promise.reject(new PthError("UNSUPPORTED", "Cannot do that: this is half a runtime"));
  return {
    name: "ssh",
    abilities: {
      snapshots: false,
      systemd: false,
      kernel: false,
      isolated: false,
      sharesNetwork: true,
      outlivesOwner: true,
      limits: { cpus: false, memory: false, disk: false },
    },
    provision: notHere,
    destroy: notHere,
    exec: (_handle, command, options) => guest.exec(command, options),
    spawn: (_handle, command, options) => guest.spawn(command, options),
    copyIn: (_handle, from, to) => guest.copyIn(from, to),
    copyOut: (_handle, from, to, limits) => guest.copyOut(from, to, limits),
    mountSource: ({ environmentId }, hostPath, envPath) =>
      bringSource(
        {
          environmentId,
          exec: (command, options) => guest.exec(command, options),
          unpack: (archive, folder) => unpackBy((words) => guest.spawn(words, { cwd: "/" }), archive, folder),
        },
        hostPath,
        envPath,
      ),
    snapshot: notHere,
    rollback: notHere,
    dropSnapshot: notHere,
    forwardPort: (_handle, envPort, hostPort) => guest.forward(envPort, hostPort),
    forwardHostPort: (_handle, hostPort, signal) =>
      forwardHostPort((command) => guest.spawn(command, { cwd: "/" }), hostPort, signal),
    healthCheck: notHere,
    fingerprint: notHere,
    detectDrift: notHere,
    logs: notHere,
    inspect: notHere,
  };
}

for (const python of [true, false]) {
  const name = python ? "with an agent" : "by a channel for each command, where there is no python3";
  await t.test(name, { skip: skip ?? false }, async (t) => {
    const server = await startSshd(t, python ? [] : await withoutPython(t));
    const sourcePath = await temporaryFolder(t);
    const env = { PTH_CONTRACT: "spec says", PATH: process.env.PATH ?? "" };
    const guest = openGuest({ target: () => server.target, sourcePath, env });
    t.teardown(() => guest.close());
    await guest.ready();
    t.match(guest.how, python ? /^agent/ : /^a channel for each/);
    const handle: EnvironmentHandle = {
      environmentId: "ssh",
      sessionId: "contract",
      runtime: "ssh",
      tier: 3,
      image: "this host",
      sourcePath,
      state: {},
    };
    const living = { runtime: runtimeOf(guest), spec: { ...handle, env, resources: {} }, handle };
    await execPart(t, living);
    await spawnPart(t, living);
    await filesPart(t, living);
    await hostPortPart(t, living);
  });
}
