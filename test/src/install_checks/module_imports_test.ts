import t from "tap";
import { importFaults } from "../../../src/install_checks/module_imports.ts";
import { treesOf } from "./trees_of.ts";

const foreign = (name: string) => ({ message: `imports ${name}`, next: `Add ${name}` });

t.test("a text between quotes that names no package is no import", async (t) => {
  const trees = treesOf({
    "index.js": 'const kind = "import"}]})}var packageOf=specifier=>specifier.split("/");\n' +
      'export * from "left-pad/lib"; import chalk from "chalk"; import "@scope/name/part";\n',
  });
  const faults = await importFaults(trees, { entries: ["index.js"], packing: "files", foreign });
  t.same(faults.map(({ message }) => message).sort(), [
    "imports @scope/name",
    "imports chalk",
    "imports left-pad",
  ]);
});

t.test("a file that is read out of step with its quotes names no package", async (t) => {
  // The expression ends the quotes where it seems to, for a scan that does not know minified code.
  const trees = treesOf({ "index.js": 'import "}]})}var packageOf=specifier=>specifier.split(";\n' });
  t.same(await importFaults(trees, { entries: ["index.js"], packing: "files", foreign }), []);
});
