/** Which environments this machine can make; a reason to skip for each that it cannot. */
import { registry } from "../../src/runtimes/_registry.ts";

export type EnvironmentName = "host" | "sandbox" | "docker" | "systemd" | "vm";

/** For tap's `skip`: false when ready, else the reason. */
export async function readiness(): Promise<Record<EnvironmentName, string | false>> {
  const reasons = await Promise.all(registry.map(async ({ name, probe }) => {
    const { ready, reason } = await probe();
    return [name, ready ? false : `${name}: ${reason}`];
  }));
  const absent = { host: "", sandbox: "", docker: "", systemd: "", vm: "" };
  const unknown = Object.keys(absent).map((name) => [name, `${name}: there is no such runtime`]);
  return Object.fromEntries([...unknown, ...reasons]);
}
