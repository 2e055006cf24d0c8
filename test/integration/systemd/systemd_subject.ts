/** What the integration tests of containers with systemd share. */
import type { Test } from "tap";
import type { EnvironmentHandle, EnvironmentSpec } from "../../../machines/model/environment.ts";
import type { EnvironmentRuntime } from "../../../src/runtimes/runtime.ts";
import systemd from "../../../src/runtimes/systemd.ts";
import { makeSpec } from "../docker/docker_subject.ts";
import { nextStepsFor } from "../../../src/core/next_step.ts";

const readiness = await systemd.probe("debian12");

/** For `t.test`'s options: skips, with the reason and what would help, where no engine is ready. */
export const needsSystemd = readiness.ready ? {} : {
  skip: `${readiness.reason} (${nextStepsFor("terminal", readiness.next).join("; ") || "no next step"})`,
};

export const systemdSpec = (more: Partial<EnvironmentSpec> = {}): EnvironmentSpec =>
  makeSpec({ tier: 2, resources: {}, ...more });

export interface Machine {
  runtime: EnvironmentRuntime;
  spec: EnvironmentSpec;
  handle: EnvironmentHandle;
  /** Output of a script, without its last newline; a non-zero exit fails the test. */
  sh(script: string): Promise<string>;
}

/** A machine that is destroyed with the test. */
export async function machine(t: Test, more: Partial<EnvironmentSpec> = {}): Promise<Machine> {
  const runtime = systemd.create();
  const spec = systemdSpec(more);
  const handle = await runtime.provision(spec);
  t.teardown(() => runtime.destroy(handle));
  const sh = async (script: string) => {
    const { code, stdout, stderr } = await runtime.exec(handle, ["sh", "-c", script]);
    t.equal(code, 0, `${script}: ${stderr}`);
    return stdout.trimEnd();
  };
  return { runtime, spec, handle, sh };
}
