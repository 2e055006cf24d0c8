/** Going on with a session of 500 commits, and saving where it stands, beside what git alone takes for the same. */
import { createHarness } from "../../src/app/create_harness.ts";
import { median, type Row, time } from "./table.ts";

const commits = 500;
const branch = "pth/bench-2026-01-01-a1b2c3d4";

/** A stream for `git fast-import`: a plugin of 200 files, and a branch with as many fixes as asked. */
function history(): string {
  const who = "committer Bench <bench@example.org> 1767225600 +0000";
  const data = (text: string) => `data ${new TextEncoder().encode(text).length}\n${text}\n`;
  const files = Array.from(
    { length: 200 },
    (_, at) => `M 644 inline src/file_${at}.ts\n${data(`// ${at}\n`.repeat(50))}`,
  );
  const manifest = `M 644 inline package.json\n${data('{"name":"bench","version":"1.0.0"}\n')}`;
  const first = `commit refs/heads/main\nmark :1\n${who}\n${data("first")}${manifest}${files.join("")}\n`;
  const fixes = Array.from({ length: commits }, (_, at) => {
    const message = `fix: mend ${at}\n\nPTH-Test: test ${at % 40}\nPTH-Category: wrong-output\n` +
      `PTH-Files: src/file_${at % 200}.ts\nPTH-Iteration: ${1 + Math.floor(at / 5)}\nPTH-Type: fix\n`;
    const from = at === 0 ? "from :1\n" : "";
    return `commit refs/heads/${branch}\n${who}\n${data(message)}${from}M 644 inline src/file_${
      at % 200
    }.ts\n${data(`// mended ${at}\n`.repeat(50))}\n`;
  });
  return [first, ...fixes].join("");
}

async function git(folder: string, args: string[], stdin?: string): Promise<void> {
  const child = new Deno.Command("git", {
    args: ["-C", folder, "-c", "user.name=bench", "-c", "user.email=bench@example.org", ...args],
    stdin: stdin === undefined ? "null" : "piped",
    stdout: "null",
    stderr: "null",
  }).spawn();
  if (stdin !== undefined) {
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(stdin));
    await writer.close();
  }
  const { success } = await child.status;
  if (!success) throw new Error(`git ${args[0]} failed`);
}

export async function measureResume(): Promise<Row[]> {
  const world = await Deno.makeTempDir({ prefix: "pth-bench-" });
  const before = ["PTH_HOME", "PTH_WORKTREE_DIR"].map((name) => [name, Deno.env.get(name)] as const);
  Deno.env.set("PTH_HOME", `${world}/home`);
  Deno.env.set("PTH_WORKTREE_DIR", `${world}/worktrees`);
  try {
    return await measureIn(world);
  } finally {
    for (const [name, value] of before) {
      value === undefined ? Deno.env.delete(name) : Deno.env.set(name, value);
    }
    await Deno.remove(world, { recursive: true });
  }
}

async function measureIn(world: string): Promise<Row[]> {
  const plugin = `${world}/plugin`;
  await Deno.mkdir(plugin);
  await git(plugin, ["init", "--quiet", "--initial-branch=main"]);
  await git(plugin, ["fast-import", "--quiet"], history());
  await git(plugin, ["reset", "--quiet", "--hard"]);
  const plains: number[] = [];
  for (let round = 0; round < 5; round++) {
    const started = performance.now();
    await git(plugin, ["worktree", "add", "--quiet", `${world}/plain`, branch]);
    await git(plugin, ["log", "--format=%H %B", `main..${branch}`]);
    plains.push(performance.now() - started);
    await git(plugin, ["worktree", "remove", "--force", `${world}/plain`]);
  }
  const harness = await createHarness();
  const resumes: number[] = [];
  for (let round = 0; round < 5; round++) {
    const started = performance.now();
    await harness.resumeSession({ branch, pluginPath: plugin });
    resumes.push(performance.now() - started);
    await harness.endSession();
  }
  const { session: { source } } = await harness.resumeSession({ branch, pluginPath: plugin });
  let round = 0;
  const checkpoint = await time(9, () => {
    const causes = [{ id: "g", category: "timeout", cause: `cause ${round++}`, testIds: [] } as const];
    return harness.session().loop.checkpoint({
      records: [],
      causes: causes.map((each) => ({ ...each, testIds: [] })),
    });
  });
  await Deno.writeTextFile(`${source.worktree}/plain.txt`, "");
  const commit = await time(9, async () => {
    await Deno.writeTextFile(`${source.worktree}/plain.txt`, `${round++}`);
    await git(source.worktree, ["add", "plain.txt"]);
    await git(source.worktree, ["commit", "--quiet", "--message=plain"]);
  });
  await harness.close();
  return [
    {
      what: `resume of a ${commits}-commit session`,
      value: median(resumes),
      unit: "ms",
      plain: { tool: "git worktree add, git log", value: median(plains) },
      target: "< 2000 ms",
    },
    {
      what: "checkpoint",
      value: checkpoint,
      unit: "ms",
      plain: { tool: "git add, git commit", value: commit },
      target: "< 100 ms",
    },
  ];
}
