/**
 * Whole processes, from the command to its exit: PTH as it is published, beside other testers of MCP servers and a script
 * of the SDK, each with the same calls of one server of the SDK. The testers come from npm, pinned, into a folder of the
 * bench's own. They have no environments: in those, their server is one that a person encloses by hand, with its packages
 * mounted; PTH copies the plugin in and installs it, from what an earlier run has kept.
 */
import { chmod, cp, mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { writeTextFile } from "../../src/platform/files.ts";
import { runCommand } from "../../src/platform/process.ts";
import { registry } from "../../src/runtimes/_registry.ts";
import { median, type Row } from "./table.ts";
import { measureWhole, type WholeProcess } from "./whole_process.ts";

const root = join(import.meta.dirname!, "../..");
const folder = join(root, ".build/bench-peers");
const plugin = join(folder, "plugin");
const tools = 20;
const server = ["node", join(plugin, "server.mjs"), String(tools)];
const pinned = ["mcp-autotest@0.2.1", "@blackwell-systems/mcp-assert@0.12.3"];
const rounds = 3;

/** Commands that enclose a server as one would by hand, in the environments that PTH brings. */
const enclosed = {
  host: server,
  sandbox: [
    "bwrap",
    ...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--unshare-all", "--die-with-parent"],
    ...server,
  ],
  docker: [
    ...[
      "docker",
      "run",
      "--rm",
      "--init",
      "--interactive",
      "--network=none",
      `--volume=${plugin}:${plugin}:ro`,
    ],
    "pth-base-debian12",
    ...server,
  ],
};
type Place = keyof typeof enclosed;

interface Tester {
  name: string;
  command: readonly string[];
}

export async function measurePeers(): Promise<Row[]> {
  await prepare();
  const ready = await Promise.all(
    registry.map(async ({ name, probe }) => (await probe()).ready ? [name as string] : []),
  );
  const places = (Object.keys(enclosed) as Place[]).filter((place) => ready.flat().includes(place));
  const rows: Row[] = [];
  for (const place of places) {
    for (const count of place === "host" ? [100, 1000] : [100]) {
      console.error(`  ${count} tests, ${place}`);
      await writeTests(count, place);
      rows.push(...await measureBeside(`${count} tests, ${place}`, pth(count, place), peers(count, place)));
    }
  }
  return rows;
}

function peers(count: number, place: Place): Tester[] {
  const inPackage = (name: string) => join(folder, "node_modules/.bin", name);
  return [
    { name: "SDK script", command: ["node", join(plugin, "script.mjs"), String(count), ...enclosed[place]] },
    {
      name: "mcp-autotest",
      command: [
        inPackage("mcp-autotest"),
        "run",
        join(folder, `autotest-${count}`),
        "--",
        ...enclosed[place],
      ],
    },
    {
      name: "mcp-assert --reuse-server",
      command: [
        ...[inPackage("mcp-assert"), "run", "--suite", join(folder, `assert-${place}-${count}`)],
        "--reuse-server",
      ],
    },
  ];
}

/** In turn, so that a machine that is busy meanwhile is so for all; the first round does not count. */
async function measureBeside(
  what: string,
  ours: readonly string[],
  others: readonly Tester[],
): Promise<Row[]> {
  const commands = [ours, ...others.map(({ command }) => command)];
  const taken = commands.map((): WholeProcess[] => []);
  for (let round = 0; round <= rounds; round++) {
    for (const [at, command] of commands.entries()) {
      const used = await measureWhole(command, plugin);
      if (round > 0) taken[at]!.push(used);
    }
  }
  const figure = (at: number, key: keyof WholeProcess) => median(taken[at]!.map((used) => used[key]));
  return others.flatMap(({ name: tool }, at) =>
    ([["wall", "time", "ms"], ["cpu", "processor", "ms"], ["memory", "memory", "MB"]] as const).map((
      [key, word, unit],
    ): Row => ({
      what: `${what}: ${word}`,
      value: figure(0, key),
      unit,
      plain: { tool, value: figure(at + 1, key) },
      ...(key === "wall" && { target: "≤ 1×" }),
    }))
  );
}

/** On the host the server is where its packages are; inside, a run of before has left them in the cache. */
const pth = (count: number, place: Place) => [
  "node",
  join(folder, "pth/cli.js"),
  "run",
  ...(place === "host" ? [] : [plugin]),
  ...["--env", place, "--tests", join(folder, `pth-${count}.yaml`)],
  ...["--command", place === "host" ? server.join(" ") : `node server.mjs ${tools}`],
];

async function prepare(): Promise<void> {
  await mkdir(plugin, { recursive: true });
  await run([Deno.execPath(), "run", "-A", "scripts/build.ts", "--out", join(folder, "pth")], root);
  await writeTextFile(join(folder, "package.json"), '{ "private": true }');
  await run(["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", ...pinned], folder);
  // Its package leaves this to a script, which is not run.
  const binaries = join(folder, "node_modules/@strowk");
  for (const name of await readdir(binaries)) await chmod(join(binaries, name, "bin/mcp-autotest"), 0o755);
  await cp(join(root, "test/fixtures/bench_peers"), plugin, { recursive: true });
  await run(["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts"], plugin);
}

async function run(command: readonly string[], cwd: string): Promise<void> {
  const { code, stderr } = await runCommand(command, { cwd });
  if (code !== 0) throw new Error(`${command.join(" ")} exits with ${code}: ${stderr}`);
}

/** The same calls in the format of each tester. */
async function writeTests(count: number, place: Place): Promise<void> {
  const calls = Array.from(
    { length: count },
    (_, at) => ({ name: `echo_${at % tools}`, text: `hello ${at}` }),
  );
  await writeTextFile(
    join(folder, `pth-${count}.yaml`),
    calls.map(({ name, text }, at) =>
      `name: call ${at}\ntool: ${name}\ninput: { text: ${text} }\nexpect: { output_equals: ${text} }\n`
    ).join("---\n"),
  );
  const autotest = join(folder, `autotest-${count}`);
  await mkdir(autotest, { recursive: true });
  const message = (id: number, body: object) => JSON.stringify({ jsonrpc: "2.0", id, ...body });
  await writeTextFile(
    join(autotest, "calls_test.yaml"),
    calls.map(({ name, text }, at) => {
      const asked = message(at + 1, { method: "tools/call", params: { name, arguments: { text } } });
      const said = message(at + 1, { result: { content: [{ type: "text", text }] } });
      return `case: call ${at}\nin: ${asked}\nout: ${said}\n`;
    }).join("---\n"),
  );
  const assertions = join(folder, `assert-${place}-${count}`);
  await mkdir(assertions, { recursive: true });
  const [command, ...args] = enclosed[place];
  for (const [at, { name, text }] of calls.entries()) {
    await writeTextFile(
      join(assertions, `call-${at}.yaml`),
      `name: call ${at}\nserver: ${JSON.stringify({ command, args })}\n` +
        `assert:\n  tool: ${name}\n  args: { text: ${text} }\n  expect: { not_error: true, contains: [${text}] }\n`,
    );
  }
}
