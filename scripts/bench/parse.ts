/** Reading test files: a folder of 1,000, half of them scenarios, as a run and a session read it. */
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
    }];
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
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
