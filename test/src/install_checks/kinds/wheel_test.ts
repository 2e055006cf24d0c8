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
  "small_py-1.0.0.dist-info/entry_points.txt": "[console_scripts]\nsmall-py = small_py.server:main\n",
});

t.test("a wheel that is whole has no fault", async (t) => {
  const trees = treesOf({
    ...installed({
      "small_py/__init__.py": "from small_py import server\n",
      "small_py/server.py": [
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
