import t from "tap";
import { pythonTestRequirements } from "../../../src/plugin/python_test_requirements.ts";
import { folderOf } from "../../../src/plugin/readable_folder.ts";

const of = (pyproject: string, files: Record<string, string> = {}) =>
  pythonTestRequirements(folderOf({ "pyproject.toml": pyproject, ...files }));

t.test("what is declared for tests is taken, wherever it stands", async (t) => {
  t.same(
    await of(
      '[project.optional-dependencies]\ntest = ["pytest>=8", "shop[cli]"]\ndev = ["mypy"]\n' +
        '[dependency-groups]\ntests = [{ include-group = "lint" }, "hypothesis"]\n' +
        'lint = ["ruff", { include-group = "tests" }]\n',
      { "requirements/test.txt": "" },
    ),
    { packages: ["pytest>=8", "shop[cli]", "ruff", "hypothesis"], files: ["requirements/test.txt"] },
  );
});

t.test("without that, what is declared for development", async (t) => {
  t.same(await of('[tool.uv]\ndev-dependencies = ["pytest"]\n'), { packages: ["pytest"], files: [] });
  t.same(
    await of(
      '[tool.poetry.group.dev.dependencies]\npython = "^3.11"\npytest = "^8.0"\nown = { path = "../own" }\n',
    ),
    { packages: ["pytest"], files: [] },
  );
  t.same(await of("", { "requirements-dev.txt": "" }), { packages: [], files: ["requirements-dev.txt"] });
});

t.test("nothing is taken of options, of what is no text, nor of a file that cannot be read", async (t) => {
  const none = { packages: [], files: [] };
  t.same(await of('[dependency-groups]\ntest = ["--index-url=http://x", "-e .", 1, "a\\nb"]\n'), none);
  t.same(await of('[dependency-groups]\ntest = "pytest"\n'), none);
  t.same(await of("[dependency-groups\n"), none);
  t.same(await pythonTestRequirements(folderOf({})), none);
});
