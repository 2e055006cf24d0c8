/** A command measured from its start to its exit, with all processes that it started and waited for. */
import { runCommand } from "../../src/platform/process.ts";

export interface WholeProcess {
  /** In ms. */
  wall: number;
  /** User and system, in ms. What a daemon does for the command is not counted. */
  cpu: number;
  /** Resident memory of the largest of its processes, in MB. */
  memory: number;
}

// A parent of its own, for the operating system adds up by parent what children used.
const program = `
import json, resource, subprocess, sys, time
started = time.monotonic()
done = subprocess.run(sys.argv[1:], stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
wall = time.monotonic() - started
used = resource.getrusage(resource.RUSAGE_CHILDREN)
said = (done.stdout + done.stderr)[-2000:].decode(errors="replace")
print(json.dumps({"wall": wall * 1000, "cpu": (used.ru_utime + used.ru_stime) * 1000,
  "memory": used.ru_maxrss / 1024, "code": done.returncode, "said": said}))
`;

/** @throws {Error} Unless the command exits with 0 within two minutes. */
export async function measureWhole(command: readonly string[], cwd: string): Promise<WholeProcess> {
  const { stdout, stderr, code } = await runCommand(["python3", "-c", program, ...command], { cwd });
  if (code !== 0) throw new Error(`python3 measures the processes of the bench: ${stderr}`);
  const { said, code: ended, ...used } = JSON.parse(stdout);
  if (ended !== 0) throw new Error(`${command.join(" ")} exits with ${ended}: ${said}`);
  return used;
}
