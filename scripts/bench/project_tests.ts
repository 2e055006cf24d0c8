/** Projects' own tests: what PTH adds to a suite of quick tests, beside the framework alone, and how that grows with their number. */
import process from "node:process";
import type { Harness } from "../../src/api/harness.ts";
import { createHarness } from "../../src/app/create_harness.ts";
import { runCommand } from "../../src/platform/process.ts";
import { median, type Row } from "./table.ts";

const rounds = 5;
const files = 20;

interface QuickSuite {
  tool: string;
  /** The framework alone, as a person runs it. */
  plain: readonly string[];
  /** False where the whole suite takes about as long as PTH takes for any run. */
  isTarget: boolean;
  /** Files of so many tests, spread over 20 files. */
  files(tests: number): Record<string, string>;
}

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at);
const spread = (tests: number, name: (file: number) => string, text: (tests: number[]) => string) =>
  Object.fromEntries(
    numbers(files).map((file) => [name(file), text(numbers(tests).filter((test) => test % files === file))]),
  );

const suites: QuickSuite[] = [
  {
    tool: "node --test",
    plain: ["node", "--test"],
    isTarget: true,
    files: (tests) => ({
      "package.json": '{ "type": "module", "scripts": { "test": "node --test" } }',
      ...spread(
        tests,
        (file) => `a${file}.test.js`,
        (these) =>
          `import test from "node:test";\n${these.map((at) => `test("adds ${at}", () => {});`).join("\n")}`,
      ),
    }),
  },
  {
    tool: "pytest",
    plain: ["python3", "-m", "pytest"],
    isTarget: true,
    files: (tests) =>
      spread(
        tests,
        (file) => `test_${file}.py`,
        (these) => these.map((at) => `def test_${at}(): pass`).join("\n"),
      ),
  },
  {
    tool: "unittest",
    plain: ["python3", "-m", "unittest"],
    isTarget: false,
    files: (tests) =>
      spread(
        tests,
        (file) => `test_${file}.py`,
        (these) =>
          `import unittest\nclass A(unittest.TestCase):\n${
            these.map((at) => `  def test_${at}(self): pass`).join("\n")
          }`,
      ),
  },
];

export async function measureProjectTests(): Promise<Row[]> {
  const harness = await createHarness();
  const rows: Row[] = [];
  try {
    for (const suite of suites) {
      const { code } = await runCommand([...suite.plain, "--help"]);
      if (code === 0) rows.push(...await measureOverhead(harness, suite));
    }
    rows.push(...await measureGrowth(harness, suites[0]!), ...await measureFlood(harness));
  } finally {
    await harness.close();
  }
  return rows;
}

/**
 * In turn: a machine that is busy meanwhile is so for both, and what each takes of a processor hardly changes with it. The
 * first round does not count.
 */
async function measureOverhead(harness: Harness, suite: QuickSuite): Promise<Row[]> {
  return await withFiles(suite.files(1000), async (folder) => {
    const taken = { alone: newTimes(), pth: newTimes() };
    for (let round = 0; round <= rounds; round++) {
      for (
        const [{ wall, cpu }, work] of [
          [taken.alone, () => runAlone(suite, folder)],
          [taken.pth, () => runByPth(harness, folder, 1000)],
        ] as const
      ) {
        const before = await processorMs();
        const took = await timeOf(work);
        if (round === 0) continue;
        wall.push(took);
        cpu.push(await processorMs() - before);
      }
    }
    const row = (what: string, time: "wall" | "cpu"): Row => ({
      what: `1000 quick tests of ${suite.tool}${what}`,
      value: median(taken.pth[time]),
      unit: "ms",
      plain: { tool: "alone", value: median(taken.alone[time]) },
      ...(suite.isTarget ? { target: "< 1.05×" } : {}),
    });
    return [row("", "wall"), row(": time of processors", "cpu")];
  });
}

const newTimes = () => ({ wall: [] as number[], cpu: [] as number[] });

/** Time of processors in ms that this process has taken, and children of which it has taken note. */
async function processorMs(): Promise<number> {
  const text = await Deno.readTextFile("/proc/self/stat");
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ").map(Number);
  const ticks = fields.slice(11, 15).reduce((sum, each) => sum + each, 0);
  return ticks * 10;
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

async function measureGrowth(harness: Harness, suite: QuickSuite): Promise<Row[]> {
  const perTest = async (tests: number) =>
    await withFiles(
      suite.files(tests),
      async (folder) => (await timeOf(() => runByPth(harness, folder, tests))) / tests,
    );
  const before = process.memoryUsage().rss;
  const [few, many] = [await perTest(1000), await perTest(10_000)];
  return [
    {
      what: `10000 tests of ${suite.tool}: per test`,
      value: many,
      unit: "ms",
      plain: { tool: "at 1000", value: few },
      target: "linear: 1×",
    },
    {
      what: "the same: memory of PTH, grown by",
      value: (process.memoryUsage().rss - before) / 1e6,
      unit: "MB",
      target: "< 100 MB",
    },
  ];
}

/** Output of a command of which nothing is known: each line of it is looked at for a result. */
async function measureFlood(harness: Harness): Promise<Row[]> {
  return await withFiles({}, async (projectRoot) => {
    const command = (megabytes: number) =>
      `yes "a line that says nothing of a test" | head -c ${megabytes}000000`;
    const read = (megabytes: number) =>
      timeOf(() => harness.runProjectTests({ projectRoot, command: command(megabytes) }));
    const few = await read(10);
    const before = process.memoryUsage().rss;
    const many = await read(100);
    const grown = (process.memoryUsage().rss - before) / 1e6;
    const alone = await timeOf(() => runCommand(["sh", "-c", `${command(100)} | cat >/dev/null`]));
    return [
      { what: "100 MB of output read", value: many, unit: "ms", plain: { tool: "cat", value: alone } },
      {
        what: "the same: per MB",
        value: many / 100,
        unit: "ms",
        plain: { tool: "at 10 MB", value: few / 10 },
        target: "linear: 1×",
      },
      { what: "the same: memory of PTH, grown by", value: grown, unit: "MB", target: "< 50 MB" },
    ];
  });
}

async function runAlone({ plain, tool }: QuickSuite, folder: string): Promise<void> {
  const { code } = await runCommand(plain, { cwd: folder });
  if (code !== 0) throw new Error(`${tool} ended with ${code}`);
}

async function runByPth(harness: Harness, projectRoot: string, tests: number): Promise<void> {
  const { summary } = await harness.runProjectTests({ projectRoot });
  if (summary?.passed !== tests) throw new Error(`${JSON.stringify(summary)} in place of ${tests} passed`);
}

async function withFiles<T>(files: Record<string, string>, use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await Deno.makeTempDir({ prefix: "pth-bench-" });
  try {
    for (const [name, text] of Object.entries(files)) await Deno.writeTextFile(`${folder}/${name}`, text);
    return await use(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
