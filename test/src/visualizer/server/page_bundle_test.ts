import { join } from "node:path";
import t from "tap";
import { useEsbuild } from "../../../../src/platform/use_esbuild.ts";
import { writeTextFile } from "../../../../src/platform/files.ts";
import { bundlePage, pageShell } from "../../../../src/visualizer/server/page_bundle.ts";

t.test("script and style are bundled from a folder, with the chart's own style", async (t) => {
  const folder = t.testdir({
    "main.js": `import { word } from "./word.js"; console.log(word);`,
    "word.js": `export const word = "hello from the page";`,
    "style.css": `@import "./more.css"; .page { color: red }`,
    "more.css": `.more { color: blue }`,
  });
  // Sources have another ending than what was compiled from them; both are looked for.
  await writeTextFile(join(folder, "main.tsx"), `import { word } from "./word.js"; console.log(word);`);
  const { script, style } = await useEsbuild((build) => bundlePage(build, folder));
  t.match(script, "hello from the page");
  t.notMatch(script, "import ", "one file");
  t.match(style, ".page");
  t.match(style, ".more");
  t.match(style, ".chart {");
});

t.test("a page that is not there, or that cannot be bundled, is a clear error", async (t) => {
  const empty = t.testdir({ "style.css": "" });
  await t.rejects(useEsbuild((build) => bundlePage(build, empty)), {
    code: "INTERNAL",
    message: /^Cannot bundle the page: there is no .*main\./,
  });
  const broken = t.testdir({
    "style.css": "",
    "main.tsx": "import './nowhere.js';",
    "main.js": "import './nowhere.js';",
  });
  await t.rejects(useEsbuild((build) => bundlePage(build, broken)), {
    code: "INTERNAL",
    message: /Cannot bundle the page: .*nowhere/s,
  });
});

t.test("the page itself asks for nothing but its own files", (t) => {
  const asked = [...pageShell.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address]) => address!);
  t.same(asked.filter((address) => !address.startsWith("data:")), ["page.css", "page.js"]);
  t.end();
});
