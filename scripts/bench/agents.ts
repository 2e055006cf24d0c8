/** Sessions of agents on playbooks, beside the same programs on a server that answers the same without looking. */
import { join } from "node:path";
import { createHarness } from "../../src/app/create_harness.ts";
import type { Harness } from "../../src/api/harness.ts";
import { checkPlaybook } from "../../src/agents/playbook/read_playbook.ts";
import type { Playbook } from "../../machines/model/playbook.ts";
import { median, type Row } from "./table.ts";

const rounds = 5;
const sideBySide = 20;

/** Asks as often as its last argument says, one text turn at a time, and prints the milliseconds of each in the mean. */
const asker = `
const turns = Number(process.argv[2]);
const started = performance.now();
for (let turn = 0; turn < turns; turn++) {
  const response = await fetch(process.env.ANTHROPIC_BASE_URL + "/v1/messages", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "m", max_tokens: 100, messages: [{ role: "user", content: "turn " + turn }] }),
  });
  if (!response.ok) throw new Error(await response.text());
  await response.json();
}
console.log((performance.now() - started) / turns);
`;

const answer = JSON.stringify({
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "m",
  content: [{ type: "text", text: "Hello" }],
  stop_reason: "end_turn",
  usage: { input_tokens: 1, output_tokens: 1 },
});

const textTurns = (count: number): Playbook =>
  checkPlaybook("bench", { turns: Array.from({ length: count }, () => ({ text: "Hello" })) });

export async function measureAgents(): Promise<Row[]> {
  const folder = await Deno.makeTempDir({ prefix: "pth-bench-agents-" });
  await Deno.writeTextFile(join(folder, "asker.mjs"), asker);
  const plain = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    () => new Response(answer, { headers: { "content-type": "application/json" } }),
  );
  const harnesses: Harness[] = [];
  const open = async () => {
    const harness = await createHarness({});
    harnesses.push(harness);
    const plugin = join(folder, `plugin-${harnesses.length}`);
    await Deno.mkdir(plugin);
    await Deno.writeTextFile(join(plugin, "README.md"), "# Bench\n");
    await harness.startSession({ target: plugin }, { mode: "run" });
    await harness.session().environment.provision({ runtime: "host" });
    return harness;
  };
  const alone = async (turns: number): Promise<number> => {
    const { stdout, success } = await new Deno.Command("node", {
      args: [join(folder, "asker.mjs"), String(turns)],
      env: { ANTHROPIC_BASE_URL: `http://127.0.0.1:${plain.addr.port}` },
    }).output();
    if (!success) throw new Error("the program failed");
    return Number(new TextDecoder().decode(stdout));
  };
  const session = async (harness: Harness, turns: number): Promise<number> => {
    const { failures, trace } = await harness.session().agents.run({
      agent: "command",
      prompt: String(turns),
      playbook: textTurns(turns),
      command: { line: `node '${join(folder, "asker.mjs")}'`, stdin: false },
      timeoutMs: 300_000,
    });
    if (failures.length > 0) throw new Error(failures.join("; "));
    const end = trace.timeline.at(-1);
    return Number(end?.type === "end" ? end.text : undefined);
  };
  try {
    const harness = await open();
    const [ours, others, turn, plainTurn]: number[][] = [[], [], [], []];
    for (let round = 0; round <= rounds; round++) {
      const first = await timed(() => session(harness, 10));
      const second = await timed(() => alone(10));
      if (round === 0) continue;
      ours!.push(first.ms);
      others!.push(second.ms);
    }
    for (let round = 0; round < rounds; round++) {
      turn!.push(await session(harness, 200));
      plainTurn!.push(await alone(200));
    }
    const many = await Promise.all(Array.from({ length: sideBySide }, open));
    const atOnce = await timed(() => Promise.all(many.map((each) => session(each, 10))));
    const aloneAtOnce = await timed(() => Promise.all(many.map(() => alone(10))));
    const before = Deno.memoryUsage().rss;
    await session(harness, 10_000);
    const grown = (Deno.memoryUsage().rss - before) / 1024 / 1024;
    return [
      {
        what: "a session of 10 text turns, with its end and trace",
        value: median(ours!),
        unit: "ms",
        plain: { tool: "the program alone", value: median(others!) },
        target: "< 200 ms more",
      },
      {
        what: "a text turn answered by the playbook, in the mean of 200",
        value: median(turn!),
        unit: "ms",
        plain: { tool: "a fixed answer", value: median(plainTurn!) },
        target: "< 5 ms",
      },
      {
        what: `${sideBySide} such sessions side by side`,
        value: atOnce.ms,
        unit: "ms",
        plain: { tool: "the programs alone", value: aloneAtOnce.ms },
      },
      {
        what: "memory that 10,000 turns add to the process",
        value: grown,
        unit: "MB",
        target: "< 60 MB",
      },
    ];
  } finally {
    for (const harness of harnesses) await harness.close();
    await plain.shutdown();
    await Deno.remove(folder, { recursive: true });
  }
}

async function timed<Value>(work: () => Promise<Value>): Promise<{ value: Value; ms: number }> {
  const started = performance.now();
  const value = await work();
  return { value, ms: performance.now() - started };
}
