// test: timeout=300
/** Coverage of a Rust server that cargo builds, in a container where compiler and LLVM's tools come from the distribution. */
import { join } from "node:path";
import t from "tap";
import { createHarness } from "../../../src/app/create_harness.ts";
import { asPthError } from "../../../src/core/errors.ts";
import { temporaryWorld, writeFiles } from "../../src/session/helpers.ts";

t.setTimeout(280_000);

const math = `pub fn add(a: i64, b: i64) -> Result<i64, String> {
    if a > 1000 {
        return Err("too large".to_string());
    }
    Ok(a + b)
}

pub fn double(a: i64) -> i64 {
    a * 2
}

pub fn never() -> i64 {
    0
}
`;
const main = `mod math;
use std::io::BufRead;

/// The number that follows a key; enough for one flat object.
fn number(line: &str, key: &str) -> Option<i64> {
    let key = format!("\\"{}\\":", key);
    let rest = line.split(key.as_str()).nth(1)?;
    let digits: String = rest.trim_start().chars().take_while(|c| c.is_ascii_digit() || *c == '-').collect();
    digits.parse().ok()
}

fn tool(name: &str) -> String {
    format!(
        "{{\\"name\\":\\"{}\\",\\"description\\":\\"{}s numbers\\",\\"inputSchema\\":{{\\"type\\":\\"object\\",\\"properties\\":{{\\"a\\":{{\\"type\\":\\"integer\\"}},\\"b\\":{{\\"type\\":\\"integer\\"}}}}}}}}",
        name, name
    )
}

fn call(line: &str) -> String {
    let a = number(line, "a").unwrap_or(0);
    let answer = if line.contains("\\"name\\":\\"add\\"") {
        math::add(a, number(line, "b").unwrap_or(0))
    } else {
        Ok(math::double(a))
    };
    match answer {
        Ok(sum) => format!("{{\\"content\\":[{{\\"type\\":\\"text\\",\\"text\\":\\"{}\\"}}]}}", sum),
        Err(why) => format!("{{\\"isError\\":true,\\"content\\":[{{\\"type\\":\\"text\\",\\"text\\":\\"{}\\"}}]}}", why),
    }
}

fn main() {
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        let id = match number(&line, "id") {
            Some(id) => id,
            None => continue,
        };
        let result = if line.contains("\\"method\\":\\"initialize\\"") {
            "{\\"protocolVersion\\":\\"2025-06-18\\",\\"capabilities\\":{\\"tools\\":{}},\\"serverInfo\\":{\\"name\\":\\"rust-adder\\",\\"version\\":\\"1\\"}}".to_string()
        } else if line.contains("\\"method\\":\\"tools/list\\"") {
            format!("{{\\"tools\\":[{},{}]}}", tool("add"), tool("double"))
        } else if line.contains("\\"method\\":\\"tools/call\\"") {
            call(&line)
        } else {
            "{}".to_string()
        };
        println!("{{\\"jsonrpc\\":\\"2.0\\",\\"id\\":{},\\"result\\":{}}}", id, result);
    }
}
`;
const files = {
  "Cargo.toml": '[package]\nname = "rust-adder"\nversion = "0.1.0"\nedition = "2021"\n',
  ".gitignore": "target\n",
  ".mcp.json": '{"mcpServers":{"adder":{"command":"target/debug/rust-adder","args":[]}}}\n',
  "src/math.rs": math,
  "src/main.rs": main,
  ".pth/tests/add.yaml": "name: adds\ntool: add\ninput: { a: 1, b: 2 }\nexpect: { output_equals: '3' }\n",
  ".pth/tests/double.yaml": "name: doubles\ntool: double\ninput: { a: 2 }\nexpect: { output_equals: '4' }\n",
};

t.test("a Rust server is measured by llvm-cov, test by test", async (t) => {
  const { folder } = await temporaryWorld(t);
  const plugin = join(folder, "rust_adder");
  await writeFiles(plugin, files);
  const harness = await createHarness();
  t.teardown(() => harness.close());
  await harness.startSession({ target: plugin }, { mode: "run" });
  const session = harness.session();
  try {
    await session.environment.provision({ runtime: "docker" });
  } catch (error) {
    t.pass("no Docker here", { skip: asPthError(error).message });
    return;
  }
  await session.plugin.load({ coverage: true });
  t.match((await session.tests.runSuite({ coverage: true })).summary, { passed: 2, failed: 0 });
  const report = session.coverage.report();
  t.strictSame(report.notes, []);
  t.equal(report.collector, "llvm-cov");
  const { lines, functions } = report.files.find(({ path }) => path === "src/math.rs")!;
  const missed = Object.entries(lines).filter(([, hits]) => hits === 0).map(([line]) => Number(line));
  t.strictSame(missed, [3, 12, 13, 14], "the error branch, and the function that nobody calls");
  t.strictSame(functions, [
    { name: "add", line: 1, endLine: 6, hits: 1 },
    { name: "double", line: 8, endLine: 10, hits: 1 },
    { name: "never", line: 12, endLine: 14, hits: 0 },
  ]);
  const affected = async (line: number) =>
    (await session.coverage.impact({ files: [{ path: "src/math.rs", lines: [line] }] })).tests;
  t.strictSame([await affected(5), await affected(9), await affected(13)], [["adds"], ["doubles"], []]);
});
