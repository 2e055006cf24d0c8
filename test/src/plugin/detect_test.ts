import t from "tap";
import { detectBuild } from "../../../src/plugin/detect.ts";
import { folderOf } from "../../../src/plugin/readable_folder.ts";

const npm = "npm install --include=dev --no-audit --no-fund --loglevel=error";
const withBuild = '{"scripts":{"build":"tsc"}}';
const rows: [string, Record<string, string>, Record<string, unknown> | undefined][] = [
  ["package.json with a build script", { "package.json": withBuild }, {
    install: npm,
    build: "npm run build",
  }],
  ["package.json without one", { "package.json": "{}" }, { install: npm, build: undefined }],
  [
    "tsconfig.json whose output is started",
    {
      "package.json": '{"main":"dist/x.js","devDependencies":{"typescript":"5"}}',
      "tsconfig.json": '{"compilerOptions":{"outDir":"./dist"}}',
      "dist/x.js": "",
    },
    { system: "npm (tsconfig)", build: "npx --no-install tsc" },
  ],
  [
    "tsconfig.json without the typescript package",
    { "package.json": "{}", "tsconfig.json": "{}" },
    { build: "npx --yes --package=typescript tsc" },
  ],
  [
    "tsconfig.json of a project that runs as it is",
    { "package.json": '{"main":"index.js"}', "tsconfig.json": "{}", "index.js": "" },
    { system: "npm", build: undefined },
  ],
  ["tsconfig.json that emits nothing", { "package.json": "{}", "tsconfig.json": '{"noEmit": true}' }, {
    system: "npm",
  }],
  ["setup.py", { "setup.py": "setup()" }, {
    system: "pip",
    evidence: "setup.py",
    install: /-m venv .* install -e \./,
  }],
  ["pyproject.toml", { "pyproject.toml": "[project]\nname='x'" }, { system: "pip", build: undefined }],
  ["pyproject.toml with a compiled part", { "pyproject.toml": '[build-system]\nrequires=["maturin"]' }, {
    build: /-e \./,
  }],
  ["pyproject.toml that configures tools only", { "pyproject.toml": "[tool.ruff]\n" }, undefined],
  ["Makefile with install", { "Makefile": "all:\ninstall: all\n" }, { build: "make && make install" }],
  ["Makefile without", { "Makefile": "all:\n# install: no\n" }, {
    build: "make",
    toolchains: ["make", "cc"],
  }],
  ["Cargo.toml", { "Cargo.toml": "" }, { build: "cargo build", install: undefined }],
  ["go.mod", { "go.mod": "" }, { system: "go" }],
  ["requirements.txt", { "requirements.txt": "" }, { system: "pip (requirements)" }],
  ["nothing known", { "server.py": "" }, undefined],
  ["package.json before all others", { "package.json": "{}", "Makefile": "", "Cargo.toml": "" }, {
    system: "npm",
  }],
  ["Python before make before cargo", { "setup.py": "", "Makefile": "", "Cargo.toml": "" }, {
    system: "pip",
  }],
];

for (const [name, files, expected] of rows) {
  t.test(name, async (t) => {
    const plan = await detectBuild(folderOf(files), { isolated: true });
    if (expected === undefined) t.equal(plan, undefined);
    else t.match(plan, expected);
  });
}

t.test("make install stays away from the bare host", async (t) => {
  const plan = await detectBuild(folderOf({ "Makefile": "install:\n" }), { isolated: false });
  t.equal(plan?.build, "make");
});

t.test("given commands replace the detected ones, and empty ones mean none", async (t) => {
  const folder = folderOf({ "package.json": withBuild });
  t.match(await detectBuild(folder, { isolated: true, build: "cargo build" }), {
    system: "npm",
    install: npm,
    build: "cargo build",
    toolchains: ["npm", "cargo"],
  });
  const none = await detectBuild(folder, { isolated: true, build: "" });
  t.strictSame([none?.build, none?.install], [undefined, npm]);
  t.equal(await detectBuild(folder, { isolated: true, build: "", install: "" }), undefined);
  const unknown = await detectBuild(folderOf({}), { isolated: true, build: "go build ." });
  t.match(unknown, { system: "given", evidence: "the command that was given", toolchains: ["go"] });
});
