import t from "tap";
import { PthError } from "../../../src/core/errors.ts";
import { answerPages } from "../../../src/server/answer_pages.ts";
import { renderToolError } from "../../../src/server/render_tool_error.ts";

const render = (error: PthError, pages = answerPages()) =>
  renderToolError(error, "Cannot run pth_load_plugin", false, pages);

t.test("ways out are told in calls, and those of the terminal alone are left out", (t) => {
  const next = [
    { terminal: "--config FILE" },
    { terminal: "--env docker", mcp: 'pth_provision_environment({ runtime: "docker" })' },
    { mcp: "pth_load_plugin({})" },
    "Remove what is left: pth clean",
    "Remove what is left: pth clean",
  ];
  const told = [
    'pth_provision_environment({ runtime: "docker" })',
    "pth_load_plugin({})",
    "Remove what is left: pth clean",
  ];
  const { text, details } = render(new PthError("CONFIG_MISSING", "Cannot start plugin", { next }));
  t.strictSame(text.split("\nNext:\n- ")[1]!.split("\n- "), told);
  t.strictSame(details["next"], told);
  t.end();
});

t.test("an error with ways out on the terminal alone tells none", (t) => {
  const error = new PthError("INVALID_INPUT", "Cannot read it", { next: [{ terminal: "--config FILE" }] });
  t.notMatch(JSON.stringify(render(error)), /next|--config/i);
  t.end();
});

t.test("long output is told by its end, with the way to all of it", async (t) => {
  const output = Array.from({ length: 500 }, (_, at) => `line ${at} of the build, which says little`).join(
    "\n",
  );
  const pages = answerPages();
  const { text, details } = render(new PthError("BUILD_FAILED", "Cannot build plugin", { output }), pages);
  t.ok(text.length < 2000, `${text.length} characters`);
  t.match(text, /line 499 [^\n]*\nAll of it: pth_get_more\(\{ cursor: "more-1" \}\)$/);
  t.match(await pages.next("more-1"), /^Output:\nline 0 of the build[^]*line 100 /);
  t.match(details, { output: /line 430 / }, "programs get more");
  t.end();
});

t.test("a long fact is told by its beginning, and kept with the output", async (t) => {
  const dependencyTree = Array.from({ length: 60 }, (_, at) => `package-${at}@1.0.0`).join("\n");
  const pages = answerPages();
  const facts = { output: "no", dependencyTree };
  const { text } = render(new PthError("BUILD_FAILED", "Cannot build plugin", facts), pages);
  t.match(text, /package-7@1\.0\.0\n {2}… 52 more lines\nAll of it: pth_get_more/);
  t.match(await pages.next("more-1"), /^Output:\nno\nDependency tree:[^]*package-59/);
});

t.test("short output is told as it is", (t) => {
  const { text } = render(new PthError("BUILD_FAILED", "Cannot build plugin", { output: "no\n" }));
  t.equal(text, "Cannot build plugin [BUILD_FAILED]\nOutput:\nno");
  t.end();
});
