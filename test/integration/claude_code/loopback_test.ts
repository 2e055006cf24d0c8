// test: timeout=180
/** Sessions of agents in a network namespace of their own, where each packet that leaves the loopback is counted. */
import { join } from "node:path";
import t from "tap";
import type { AgentSessionResult } from "../../../machines/model/agent_session.ts";
import { writeTextFile } from "../../../src/platform/files.ts";
import { runCommand } from "../../../src/platform/process.ts";
import sandbox from "../../../src/runtimes/sandbox.ts";
import { pthCommandLine } from "../../support/bundled_pth.ts";
import { copyFixture } from "../../support/fixture_plugin.ts";
import { makePlace, type Place } from "../../support/pth_run.ts";
import { root } from "../../support/root.ts";
import { withoutClaude } from "./claude_code.ts";

t.setTimeout(170_000);

/**
 * Runs a command where all but the loopback leads through an interface that nobody answers at, which sends nothing by
 * itself, and says how many packets went there.
 */
const counted = `
for which in all default; do
  file=/proc/sys/net/ipv6/conf/$which/disable_ipv6
  if [ -e $file ]; then echo 1 >$file; fi
done
ip link set lo up && ip link add out type veth peer name far && ip addr add 192.0.2.2/24 dev out &&
  ip link set far up && ip link set out up && ip route add default via 192.0.2.1 dev out || exit 99
"$@"
code=$?
echo
awk '$1 == "out:" { print "packets", $11 }' /proc/net/dev
exit $code`;

/** Deno by itself would look for a newer one. */
const quiet = { DENO_NO_UPDATE_CHECK: "1" };

const inNamespace = (command: readonly string[], env: Record<string, string> = {}) =>
  runCommand(["unshare", "--net", "sh", "-c", counted, "sh", ...command], {
    cwd: root,
    env: { ...env, ...quiet },
  });

const cannot = await inNamespace(["true"]).then(
  ({ code, stderr }) =>
    code === 0 ? false : `no network namespace with a link can be made here: ${stderr.trim()}`,
  () => "there is no unshare here",
);

async function session(place: Place, args: readonly string[]) {
  const { code, stdout, stderr } = await inNamespace(
    pthCommandLine("cli", "agent", "run", ...args),
    place.env,
  );
  const [, text = "", packets] = /^([\s\S]*)\npackets (\d+)\n$/.exec(stdout) ?? [];
  return {
    code,
    packets: Number(packets),
    said: `${stderr}${stdout}`,
    result: JSON.parse(text || "{}") as Partial<AgentSessionResult>,
  };
}

const environments = (await sandbox.probe()).ready ? ["host", "sandbox"] : ["host"];

t.test(
  "a session of Claude Code sends nothing beyond the loopback",
  { skip: cannot || withoutClaude },
  async (t) => {
    const place = await makePlace(t);
    const plugin = await copyFixture("agent_plugin", place.folder);
    for (const env of environments) {
      const args = ["--env", env, "--playbook", join(plugin, "order.playbook.yaml"), "--json"];
      const { code, packets, said, result } = await session(place, [
        plugin,
        "/florist:order a rose",
        ...args,
      ]);
      t.equal(code, 0, said);
      t.equal(result.played, 7, `the whole session went on in ${env}`);
      t.equal(packets, 0, `no packet left ${env}`);
    }
  },
);

t.test("an agent that looks for somebody else is seen to", { skip: cannot }, async (t) => {
  const place = await makePlace(t);
  const plugin = await copyFixture("agent_plugin", place.folder);
  const playbook = join(plugin, "none.yaml");
  await writeTextFile(playbook, "turns: [{ text: never asked for, optional: true }]\n");
  const script = 'const socket = require("net").connect(80, "203.0.113.9").on("error", () => {});' +
    "setTimeout(() => process.exit(), 300);";
  const { code, packets, said } = await session(place, [
    ...[plugin, "go", "--agent", "command", "--agent-command", `node -e '${script}'`],
    ...["--env", environments.at(-1)!, "--playbook", playbook, "--json"],
  ]);
  t.equal(code, 0, said);
  t.ok(packets > 0, `${packets} packets`);
});
