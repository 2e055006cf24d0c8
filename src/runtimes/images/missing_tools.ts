/** Which programs of a list this host lacks; Debian keeps some where a user's PATH does not lead. */
import { runCommand } from "../../platform/process.ts";

const script =
  'PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin; for tool; do command -v "$tool" >/dev/null || echo "$tool"; done';

export async function missingTools(tools: readonly string[]): Promise<string[]> {
  const { stdout } = await runCommand(["/bin/sh", "-c", script, "sh", ...tools]);
  return stdout.split("\n").filter((line) => line !== "");
}
