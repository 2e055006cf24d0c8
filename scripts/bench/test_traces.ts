/** Traced calls of tests: what one costs, beside the same tests without a trace. */
import { createHarness } from "../../src/app/create_harness.ts";
import { runCommand } from "../../src/platform/process.ts";
import { median, type Row } from "./table.ts";

const rounds = 3;
/** Below what is kept of one function. */
const calls = 500;

interface TracedProject {
  language: string;
  program: string;
  files: Record<string, string>;
}

const projects: TracedProject[] = [
  {
    language: "Python",
    program: "python3",
    files: {
      "parser.py": "def parse(text): return len(text)\n",
      "test_a.py": "import unittest, parser\nclass A(unittest.TestCase):\n" +
        `  def test_a(self): self.assertEqual(sum(parser.parse("a") for _ in range(${calls})), ${calls})\n`,
    },
  },
  {
    language: "JavaScript",
    program: "node",
    files: {
      "package.json": '{ "type": "module", "scripts": { "test": "node --test" } }',
      "parser.js": "export function parse(text) { return text.length; }\n",
      "a.test.js": 'import test from "node:test"; import { parse } from "./parser.js";\n' +
        `test("a", () => { for (let at = 0; at < ${calls}; at++) parse("a"); });\n`,
    },
  },
  {
    language: "Rust",
    program: "cargo",
    files: {
      "Cargo.toml": '[package]\nname = "bench"\nversion = "0.1.0"\nedition = "2021"\n',
      "src/lib.rs": "#[inline(never)]\npub fn parse(number: u32) -> u32 { number + 1 }\n" +
        `#[test]\nfn a() { for _ in 0..${calls} { std::hint::black_box(parse(1)); } }\n`,
    },
  },
];

export async function measureTestTraces(): Promise<Row[]> {
  const harness = await createHarness();
  const rows: Row[] = [];
  try {
    for (const { language, program, files } of projects) {
      const { code } = await runCommand(["sh", "-c", `command -v ${program}`]);
      if (code !== 0) continue;
      const projectRoot = await Deno.makeTempDir({ prefix: "pth-bench-" });
      try {
        for (const [name, text] of Object.entries(files)) {
          if (name.includes("/")) await Deno.mkdir(`${projectRoot}/src`, { recursive: true });
          await Deno.writeTextFile(`${projectRoot}/${name}`, text);
        }
        /** Time of the commands that ran tests. */
        const timeOf = async (tracePatterns?: string[]) => {
          const run = { projectRoot, ...(tracePatterns && { tracePatterns }) };
          const { summary } = await harness.runProjectTests(run);
          if (summary?.passed !== 1) throw new Error(`${language}: ${JSON.stringify(summary)}`);
          return summary.duration_ms;
        };
        await timeOf();
        const taken = { bare: [] as number[], traced: [] as number[] };
        for (let round = 0; round < rounds; round++) {
          taken.bare.push(await timeOf());
          taken.traced.push(await timeOf(["parse"]));
        }
        const [bare, traced] = [median(taken.bare), median(taken.traced)];
        rows.push({
          what: `${language}: ${calls} calls traced`,
          value: traced,
          unit: "ms",
          plain: { tool: "not traced", value: bare },
        }, {
          what: `${language}: a call and its return, with the start of the tracer spread`,
          value: Math.max(0, traced - bare) / calls * 1000,
          unit: "µs",
        });
      } finally {
        await Deno.remove(projectRoot, { recursive: true });
      }
    }
  } finally {
    await harness.close();
  }
  return rows;
}
