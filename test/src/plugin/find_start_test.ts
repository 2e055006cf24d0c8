import t from "tap";
import type { BuildPlan } from "../../../machines/model/plugin.ts";
import { findStart, localPluginCommand } from "../../../src/plugin/find_start.ts";
import { folderOf } from "../../../src/plugin/readable_folder.ts";
import { rejection } from "../session/helpers.ts";

const plan = (system: string): BuildPlan => ({ system, evidence: "x", toolchains: [] });
const start = (files: Record<string, string>, system?: string, wanted?: string) =>
  findStart({
    folder: folderOf(files),
    path: "/p",
    build: system === undefined ? undefined : plan(system),
    wanted,
  });

const cases: [string, Record<string, string>, string | undefined, string[] | undefined][] = [
  ["a single bin", { "package.json": '{"bin":"./dist/cli.js"}' }, "npm", ["node", "/p/dist/cli.js"]],
  [
    "the bin named like the package",
    { "package.json": '{"name":"@a/one","bin":{"two":"2.js","one":"1.js"}}' },
    "npm",
    ["node", "/p/1.js"],
  ],
  ["a bin that starts itself", { "package.json": '{"bin":{"x":"bin/x"}}' }, "npm", ["/p/bin/x"]],
  [
    "a plain start script, without npm",
    { "package.json": '{"main":"lib.js","scripts":{"start":"node --no-warnings ./dist/index.js --stdio"}}' },
    "npm",
    ["node", "--no-warnings", "/p/dist/index.js", "--stdio"],
  ],
  [
    "any other start script",
    { "package.json": '{"scripts":{"start":"NODE_ENV=x node a.js && true"}}' },
    "npm",
    ["npm", "--silent", "start"],
  ],
  ["main", { "package.json": '{"main":"index.mjs"}' }, "npm", ["node", "/p/index.mjs"]],
  [
    "exports",
    { "package.json": '{"exports":{".":{"types":"x.d.ts","import":"./x.js"}}}' },
    "npm",
    ["node", "/p/x.js"],
  ],
  [
    "a project script of Python",
    { "pyproject.toml": '[project]\nname = "my-server"\n[project.scripts]\nmy-server = "a:main"\n' },
    "pip",
    ["/p/.venv/bin/my-server"],
  ],
  [
    "a Python package",
    { "pyproject.toml": '[project]\nname = "my-server"\n', "src/my_server/__main__.py": "" },
    "pip",
    ["/p/.venv/bin/python", "-m", "my_server"],
  ],
  [
    "a console script of setup.py",
    { "setup.py": 'setup(entry_points={"console_scripts": ["srv = srv.main:run"]})' },
    "pip",
    ["/p/.venv/bin/srv"],
  ],
  ["server.py with requirements", { "server.py": "" }, "pip (requirements)", [
    "/p/.venv/bin/python",
    "/p/server.py",
  ]],
  ["server.py alone", { "server.py": "" }, undefined, ["python3", "/p/server.py"]],
  [
    "a Rust binary",
    { "Cargo.toml": '[package]\nname = "srv"\n', "src/main.rs": "" },
    "cargo",
    ["/p/target/debug/srv"],
  ],
  [
    "a named Rust binary",
    { "Cargo.toml": '[package]\nname = "lib"\n[[bin]]\nname = "srv"\npath = "x.rs"\n' },
    "cargo",
    ["/p/target/debug/srv"],
  ],
  ["a Go command", { "go.mod": "module example.com/srv/v2\n", "main.go": "" }, "go", ["/p/bin/srv"]],
  ["nothing", { "README.md": "" }, undefined, undefined],
];

for (const [name, files, system, expected] of cases) {
  t.test(`starts ${name}`, async (t) => t.strictSame(await start(files, system), expected));
}

t.test("several executables are not guessed at", async (t) => {
  const files = { "package.json": '{"name":"x","bin":{"a":"a.js","b":"b.js"}}' };
  const error = await rejection(start(files, "npm"));
  t.match(error, {
    code: "SERVER_AMBIGUOUS",
    context: { servers: ["a", "b"], next: [{ terminal: "--server a" }, { terminal: "--server b" }] },
  });
  t.strictSame(await start(files, "npm", "b"), ["node", "/p/b.js"]);
});

t.test("a declared command that means the plugin itself runs what lies here", async (t) => {
  const node = folderOf({ "package.json": '{"name":"@a/srv","bin":{"srv":"./cli.js"}}' });
  const own = (command: string, folder = node, system = "npm") =>
    localPluginCommand(folder, "/p", plan(system), command.split(" "));
  t.strictSame(await own("npx -y @a/srv@latest --x"), ["node", "/p/cli.js", "--x"]);
  t.strictSame(await own("srv --x"), ["node", "/p/cli.js", "--x"]);
  t.strictSame(await own("npx -y other"), ["npx", "-y", "other"]);
  const python = folderOf({ "pyproject.toml": '[project.scripts]\nsrv = "a:b"\n' });
  t.strictSame(await own("python3 server.py", python, "pip"), ["/p/.venv/bin/python", "server.py"]);
  t.strictSame(await own("uv --directory /p run srv --x", python, "pip"), ["/p/.venv/bin/srv", "--x"]);
  t.strictSame(await own("uvx srv", python, "pip"), ["/p/.venv/bin/srv"]);
  t.strictSame(await own("uvx other", python, "pip"), ["uvx", "other"]);
});
