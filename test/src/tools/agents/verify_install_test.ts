import t from "tap";
import type { InstallCheckRequest, InstallCheckResult } from "../../../../machines/model/install_check.ts";
import { checkAnswer } from "../../server/check_answer.ts";

const result = (kind: string, more: Partial<InstallCheckResult> = {}): InstallCheckResult => ({
  kind,
  name: "greeter",
  faults: [],
  notes: [],
  ...more,
} as InstallCheckResult);

t.test("each kind of package is checked, and its faults stand with place and next step", async (t) => {
  const asked: InstallCheckRequest[] = [];
  const fault = {
    code: "not-packed",
    place: "package.json: bin.greet",
    message: "greet.js is not packed",
    next: "Add it to files",
  };
  await checkAnswer(t, {
    tool: "pth_verify_install",
    input: { source: false, timeoutSeconds: 60 },
    commands: {
      installs: {
        kinds: () => Promise.resolve(["npm", "claude-plugin"]),
        check: (request: InstallCheckRequest) => {
          asked.push(request);
          return Promise.resolve(
            request.kind === "npm" ? result("npm", { faults: [fault as never] }) : result("claude-plugin"),
          );
        },
      },
    },
    text: new RegExp(
      "^npm {2}greeter: 1 fault\\n {2}✗ package\\.json: bin\\.greet {2}greet\\.js is not packed {2}\\[not-packed\\]\\n" +
        " {6}Add it to files\\n\\nclaude-plugin {2}greeter: installs as it should$",
    ),
    data: { faults: 1, checks: [{ kind: "npm", name: "greeter" }, { kind: "claude-plugin", faults: [] }] },
  });
  t.strictSame(asked, [
    { kind: "npm", source: false, suite: false, timeoutMs: 60_000 },
    { kind: "claude-plugin", source: false, suite: false, timeoutMs: 60_000 },
  ]);
});
