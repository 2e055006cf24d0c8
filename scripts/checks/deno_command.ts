/** Checks that are a Deno subcommand. */
import { run } from "../../src/platform/process.ts";
import { type Check, defineCheck } from "./check.ts";

/** Deno's log lines that tell of no problem. */
const noise = /^(Checked|Found|Stack backtrace:|\s+0: <unknown>).*\n?/gm;

/** Runs `deno <args>`; each of its complaints is in the problem. */
async function complaints(root: string, args: string[]): Promise<string | undefined> {
  const result = await run([Deno.execPath(), ...args], { cwd: root, env: { NO_COLOR: "1" } });
  return result.code === 0 ? undefined : (result.stdout + result.stderr).replace(noise, "").trim();
}

export const formatted: Check = defineCheck({
  name: "formatted",
  async run({ root }) {
    const output = await complaints(root, ["fmt", "--check"]);
    if (output === undefined) return [];
    const files = [...output.matchAll(/^from (.*):$/gm)].map(([, path]) => path!.replace(`${root}/`, ""));
    return files.length === 0 ? [output] : files.map((path) => `${path}: is not formatted; run deno fmt`);
  },
});

export const linted: Check = defineCheck({
  name: "lint",
  async run({ root }) {
    const output = await complaints(root, ["lint", "--quiet"]);
    return output === undefined ? [] : [output];
  },
});
