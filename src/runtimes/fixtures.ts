/** Seeds an environment with what its configuration asks for: files, scripts, services (PTH design §5.1, EnvConfig). */
import type {
  EnvironmentConfig,
  EnvironmentHandle,
  ServiceDefinition,
} from "../../machines/model/environment.ts";
import { PthError } from "../errors.ts";
import type { EnvironmentRuntime, ExecResult } from "./runtime.ts";

type Fixtures = NonNullable<EnvironmentConfig["fixtures"]>;

interface SeedOptions {
  signal: AbortSignal;
  onOutput: (text: string) => void;
}

/** How long a service may take until its `ready` command succeeds. */
const readyTimeoutMs = 30_000;

/** @throws {PthError} `SETUP_FAILED` naming the file, script or service that failed, with its output */
export async function seedFixtures(
  runtime: EnvironmentRuntime,
  handle: EnvironmentHandle,
  { files = [], setupScripts = [], services = [] }: Fixtures,
  options: SeedOptions,
): Promise<void> {
  const shell = (script: string, args: string[] = [], stdin?: string) =>
    runtime.exec(handle, ["sh", "-c", script, "sh", ...args], {
      signal: options.signal,
      onOutput: options.onOutput,
      ...(stdin === undefined ? {} : { stdin }),
    });
  for (const { path, content, mode } of files) {
    const script = 'mkdir -p "$(dirname "$1")" && cat > "$1" && { [ -z "$2" ] || chmod "$2" "$1"; }';
    expectSuccess(`file ${path}`, await shell(script, [path, mode ?? ""], content));
  }
  for (const script of setupScripts) {
    expectSuccess(`setup script "${script.split("\n")[0]}"`, await shell(script));
  }
  for (const service of services) await startService(service, shell, options.signal);
}

async function startService(
  { name, command, ready }: ServiceDefinition,
  shell: (script: string, args?: string[]) => Promise<ExecResult>,
  signal: AbortSignal,
): Promise<void> {
  const log = `/tmp/pth-service-${name.replaceAll(/\W+/g, "-")}.log`;
  expectSuccess(
    `service ${name}`,
    await shell('setsid sh -c "$1" >"$2" 2>&1 </dev/null & echo $!', [command, log]),
  );
  if (ready === undefined) return;
  const deadline = performance.now() + readyTimeoutMs;
  for (let waitMs = 50;; waitMs = Math.min(waitMs * 2, 1000)) {
    const probe = await shell(ready);
    if (probe.code === 0) return;
    if (performance.now() > deadline) {
      const { stdout } = await shell('tail -n 40 "$1"', [log]);
      throw new PthError(
        "SETUP_FAILED",
        `Cannot start service ${name}: not ready after ${readyTimeoutMs / 1000} s`,
        {
          output: stdout + probe.stdout + probe.stderr,
          tried: [command, ready],
          next: [`Read its output inside the environment: ${log}`],
        },
      );
    }
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    signal.throwIfAborted();
  }
}

function expectSuccess(what: string, result: ExecResult): void {
  if (result.code === 0) return;
  throw new PthError(
    "SETUP_FAILED",
    `Cannot seed environment: ${what} exited with ${result.code ?? result.signal}`,
    {
      output: result.stdout + result.stderr,
      next: ["Correct it under fixtures of the environment's configuration (--config)"],
    },
  );
}
