import t from "tap";
import { PthError } from "../../../src/errors.ts";
import { answerPages } from "../../../src/server/answer_pages.ts";
import { renderError } from "../../../src/server/render_error.ts";

const render = (error: PthError, pages = answerPages()) =>
  renderError(error, "Cannot run pth_load_plugin", false, pages);

t.test("options of the command line are no way out over MCP", (t) => {
  const next = ["--config FILE", "On the command line: --var NAME=value", "Over MCP: pth_load_plugin({})"];
  const { text } = render(new PthError("CONFIG_MISSING", "Cannot start plugin: it needs REGION", { next }));
  t.match(text, /\nNext:\n- pth_load_plugin\(\{\}\)$/);
  t.end();
});

t.test("what commands and options do is told as calls", (t) => {
  const next = [
    'Say how it is built: --build "<command>"',
    'Say how it is started: --command "<command>"',
    'Name its folder and how it is started: /plugins --command "python3 a.py"',
    "Use an isolated runtime: --env docker or --env sandbox",
    "Use an isolated environment (--env docker or sandbox)",
    "Build it: pth images build debian12",
    "Remove what is left: pth clean",
    "Start it: scripts/setup-host.sh --with-vm",
    'Peer dependencies conflict: --install "npm install --legacy-peer-deps"',
    "Write one: pth perf <target> --output FILE.json",
  ];
  const { text } = render(new PthError("IMAGE_MISSING", "Cannot make it: no image", { next }));
  t.strictSame(text.split("\nNext:\n- ")[1]!.split("\n- "), [
    'Say how it is built: pth_load_plugin({ build: "<command>" })',
    'Say how it is started: pth_load_plugin({ command: ["<program>", "<argument>"] })',
    'Name its folder and how it is started: /plugins, command: ["python3", "a.py"]',
    'Use an isolated runtime: runtime: "docker" or "sandbox"',
    'Use an isolated environment (runtime: "docker" or "sandbox")',
    'Build it: pth_rebuild_base_images({ names: ["debian12"] })',
    "Remove what is left: pth clean",
    "Start it: scripts/setup-host.sh --with-vm",
    'Peer dependencies conflict: pth_load_plugin({ install: "npm install --legacy-peer-deps" })',
  ]);
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
