/** Environment of what never runs on the host unless that is asked for. */
import { PthError } from "../../core/errors.ts";
import { registry } from "../../runtimes/_registry.ts";

/** Into the first the plugin comes quickest. */
const inOrder = ["sandbox", "docker"];

/** @throws {PthError} `RUNTIME_UNAVAILABLE` where none is ready */
export async function isolatedEnvironment(): Promise<string> {
  const reasons: string[] = [];
  for (const name of inOrder) {
    const { ready, reason } = await registry.find((each) => each.name === name)!.probe();
    if (ready) return name;
    reasons.push(`${name}: ${reason}`);
  }
  throw new PthError("RUNTIME_UNAVAILABLE", "Cannot run hooks: no isolated environment is ready", {
    tried: reasons,
    next: [
      "pth preflight says what this machine lacks",
      "--env host runs the plugin's commands on this machine as they are",
    ],
  });
}
