import t from "tap";
import wheel from "../../../../src/install_checks/kinds/wheel.ts";
import { pythonImports } from "../../../../src/install_checks/python_imports.ts";
import { folderOf } from "../../../../src/plugin/readable_folder.ts";
import { faultsOf, treesOf } from "../trees_of.ts";

const project = '[project]\nname = "small-py"\n[project.scripts]\nsmall-py = "small_py.server:main"\n';
/** Files as pip installs them, with the list that it writes. */
const installed = (files: Record<string, string>) => ({
  ...files,
  "small_py-1.0.0.dist-info/REQUESTED": "",
  "small_py-1.0.0.dist-info/RECORD": Object.keys(files).map((path) => `${path},sha256=x,1\n`).join(""),
  "small_py-1.0.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: small-py\nVersion: 1.0\n",
  "small_py-1.0.0.dist-info/WHEEL": "Tag: py3-none-any\n",
  "small_py-1.0.0.dist-info/entry_points.txt": "[console_scripts]\nsmall-py = small_py.server:main\n",
});

t.test("a wheel that is whole has no fault", async (t) => {
  const trees = treesOf({
    ...installed({
      "small_py/__init__.py": 'from small_py import server\n__version__ = "1.0.0"\n',
      "small_py/data/names.json": "{}",
      "small_py/server.py": [
        'NAMES = files("small_py") / "data/names.json"',
        'OTHER = "made-at-runtime.json"',
        "import json, os.path as path",
        "from . import names",
        "from .names import NAME",
        "from .. import small_py",
        "import dependency.part",
        "from small_py.speed import fast",
        "try:",
        "    import optional",
        "except ImportError:",
        "    pass",
        'text = """',
        "import quoted",
        '"""',
      ].join("\n"),
      "small_py/names.py": "",
    }),
    "small_py/speed.cpython-311-x86_64-linux-gnu.so": "",
    "dependency/__init__.py": "import of_its_own_accord\n",
  }, { "pyproject.toml": project });
  t.strictSame(await faultsOf(wheel, trees), []);
  t.strictSame((await wheel.parts(trees.installed)).programs, ["small-py"]);
  t.strictSame((await wheel.parts(trees.source!)).programs, ["small-py"]);
});

t.test("each planted fault is found at its place", async (t) => {
  const trees = treesOf(
    installed({
      "small_py/__init__.py": "import foreign\nfrom .Server import main\n",
      "small_py/server.py": "from .hidden import x\nfrom small_py.nowhere import y\n",
    }),
    { "src/small_py/hidden.py": "" },
  );
  t.strictSame(await faultsOf(wheel, trees), [
    "case-mismatch small_py/__init__.py:2",
    "not-packed small_py/server.py:1",
    "undeclared-dependency small_py/__init__.py:1",
    "wrong-path small_py/server.py:2",
  ]);
});

t.test("each planted fault of a wheel's other files is found at its place", async (t) => {
  const info = "small_py-1.0.0.dist-info";
  const trees = treesOf({
    ...installed({
      "small_py/__init__.py": '__version__ = "1.1.0"\n',
      "small_py/reader.py": [
        'NAMES = open(Path(__file__).parent / "data/names.json")',
        'SCHEMA = "schema.sql"',
        'HERE = "/work/source/small_py/x.txt"',
      ].join("\n"),
      "small_py/speed.so": "",
      "tests/__init__.py": "",
    }),
    [`${info}/METADATA`]: "Name: small-py\nVersion: 1.0.0\nRequires-Dist: near @ file:///work/near\n",
    [`${info}/entry_points.txt`]: "[console_scripts]\na = small_py.hidden:main\nb = small_py.nowhere:main\n" +
      "c = small_py.Reader:main\n",
  }, { "small_py/data/names.json": "", "src/small_py/schema.sql": "", "small_py/hidden.py": "" });
  t.strictSame(await faultsOf(wheel, trees), [
    "absolute-path small_py/reader.py:3",
    "case-mismatch pyproject.toml: scripts.c",
    "not-packed pyproject.toml: scripts.a",
    "not-packed small_py/reader.py:1",
    "not-packed small_py/reader.py:2",
    "outside-package pyproject.toml: dependencies.near",
    "outside-package tests/",
    "wrong-engine small_py/speed.so",
    "wrong-path pyproject.toml: scripts.b",
    "wrong-version small_py/__init__.py: __version__",
  ]);
});

t.test("a wheel that pip refuses for its Python or its platform has a wrong engine", async (t) => {
  // As pip 23 says it.
  for (
    const [output, code] of [
      ["ERROR: Package 'small-py' requires a different Python: 3.11.7 not in '>=4'", "wrong-engine"],
      [
        "ERROR: small_py-1.0.0-cp39-cp39-win_amd64.whl is not a supported wheel on this platform.",
        "wrong-engine",
      ],
      ["ERROR: Invalid requirement: 'small py'", "not-installed"],
    ] as const
  ) {
    const { env } = treesOf({});
    const ended = { code: 1, signal: null, stdout: "", stderr: output, durationMs: 1, truncated: false };
    const { fault } = await wheel.install({
      env: { ...env, exec: () => Promise.resolve(ended) },
      folder: "/work/check",
      source: "/work/source",
      archive: undefined,
      signal: new AbortController().signal,
      copySource: () => Promise.reject(new Error("not asked for")),
      bringAgent: () => Promise.resolve(undefined),
    }, { path: "/work/check/small_py-1.0.0-py3-none-any.whl", notes: [] });
    t.equal(fault?.code, code);
  }
});

t.test("imports of all forms are found on their lines", (t) => {
  const names = pythonImports(
    "import a, b.c as d\n# import e\nfrom ..f import g\n    import h\nfrom i import (\n",
  ).map(
    ({ name, line }) => `${name} ${line}`,
  );
  t.strictSame(names, ["a 1", "b.c 1", "..f 3", "i 5"]);
  t.end();
});

t.test("a project that is built is a package, one that only configures tools is not", async (t) => {
  t.equal(await wheel.detects(folderOf({ "pyproject.toml": project })), true);
  t.equal(await wheel.detects(folderOf({ "pyproject.toml": "[tool.ruff]\n" })), false);
  t.strictSame(await wheel.servers(folderOf({ "pyproject.toml": project }), "/w"), [{ name: "" }]);
  t.strictSame(await wheel.servers(folderOf({ "pyproject.toml": "[project]\n" }), "/w"), []);
});
