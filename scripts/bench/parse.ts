/** Reading test files as a run and a session do: a folder of 1,000, half of them scenarios; files of many tests. */
import { parseAllDocuments } from "yaml";
import { loadTests } from "../../src/testing/format/load.ts";
import { type Row, time } from "./table.ts";

const files = 1000;

export async function measureParse(): Promise<Row[]> {
  const folder = await Deno.makeTempDir({ prefix: "pth-bench-" });
  try {
    for (let at = 0; at < files; at++) await Deno.writeTextFile(`${folder}/${at}.yaml`, textOf(at));
    const plain = await time(5, () => readAll(folder));
    const value = await time(5, () => loadTests(folder));
    return [{
      what: `${files} test files read, checked and made tests`,
      value,
      unit: "ms",
      plain: { tool: "reading their bytes", value: plain },
      target: "below 500 ms",
    }, ...await measureGrowth(folder)];
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** One file of many tests of one call, as YAML and as JSON, beside the parser that gives plain values. */
async function measureGrowth(folder: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (const count of [1_000, 10_000]) {
    const tests = Array.from({ length: count }, (_, at) => ({
      name: `call ${at}`,
      tool: `echo_${at % 20}`,
      input: { text: `hello ${at}` },
      expect: { output_equals: `hello ${at}` },
    }));
    const yaml = tests.map(({ name, tool, input, expect }) =>
      `name: ${name}\ntool: ${tool}\ninput: { text: ${input.text} }\nexpect: { output_equals: ${expect.output_equals} }\n`
    ).join("---\n");
    const json = JSON.stringify(tests);
    const measure = async (file: string, text: string, plain: { tool: string; parse: () => unknown }) => {
      await Deno.writeTextFile(`${folder}/${file}`, text);
      const value = await time(3, () => loadTests(`${folder}/${file}`));
      const others = await time(3, () => Promise.resolve(plain.parse()));
      rows.push({
        what: `${count} tests in ${file}`,
        value,
        unit: "ms",
        plain: { tool: plain.tool, value: others },
        ...(count === 10_000 ? { target: "below 1000 ms" } : {}),
      });
    };
    await measure("many.yaml", yaml, { tool: "yaml, unchecked", parse: () => parseAllDocuments(yaml) });
    await measure("many.json", json, {
      tool: "JSON.parse, unchecked",
      parse: () => JSON.parse(json) as unknown,
    });
  }
  return rows;
}

async function readAll(folder: string): Promise<void> {
  for (let at = 0; at < files; at++) await Deno.readTextFile(`${folder}/${at}.yaml`);
}

const textOf = (at: number): string => at % 2 === 0 ? call(at) : scenario(at);

const call = (at: number): string =>
  `name: "restart_service - valid service ${at}"
tier: 1
tool: sysadmin_restart_service
input:
  service: "nginx"
  grace: ${at}
expect:
  success: true
  output_contains: "restarted"
verify:
  - exec: "systemctl is-active nginx"
    expect_stdout: "active"
tags: ["smoke", "services"]
`;

const scenario = (at: number): string =>
  `name: "a user comes and goes ${at}"
steps:
  - tool: sysadmin_create_user
    input: { username: "testuser", groups: ["wheel"] }
    expect: { success: true }
    capture: { created_uid: "$.output.uid" }
  - tool: sysadmin_get_user_info
    input: { uid: "$created_uid" }
    expect: { output_matches: "^uid=\\\\d+" }
  - tool: sysadmin_delete_user
    input: { username: "testuser" }
timeout_seconds: 30
`;
