/** The page as the browser gets it: its sources as one script and one style, made at start and kept in memory. */
import { errorMessage, PthError } from "../../core/errors.ts";
import { type EsbuildBuild, useEsbuild } from "../../platform/use_esbuild.ts";
import { pathExists } from "../../platform/files.ts";
import { ownFile, prebuilt } from "../../platform/own_files.ts";
import { chartStyle } from "../chart/style.ts";

export interface PageBundle {
  script: string;
  style: string;
}

/** Sources and the Node build differ in their endings only. */
const endings = [".tsx", ".ts", ".js"];

/** PTH's own page: bundled now, or when PTH itself was. @throws {PthError} as `bundlePage` does */
export async function ownPage(): Promise<PageBundle> {
  const [script, style] = [await prebuilt("page.js"), await prebuilt("page.css")];
  if (script !== undefined && style !== undefined) return { script, style };
  return await useEsbuild(bundlePage);
}

/**
 * @param folder that of the page; it holds `main.tsx` (or what became of it) and `style.css`
 * @throws {PthError} `INTERNAL` where the page is not there, or cannot be bundled
 */
export async function bundlePage(
  build: EsbuildBuild,
  folder: string = ownFile("src/visualizer/page"),
): Promise<PageBundle> {
  const [script, style] = [await entryIn(folder), `${folder}/style.css`];
  if (!(await pathExists(style))) throw notThere(style);
  try {
    const { outputFiles } = await build({
      entryPoints: { page: script, style },
      outdir: "/",
      bundle: true,
      write: false,
      format: "esm",
      target: ["chrome115", "firefox115", "safari16.4"],
      jsx: "automatic",
      jsxImportSource: "preact",
      tsconfigRaw: "{}",
      minify: true,
      legalComments: "none",
      logLevel: "silent",
    });
    const textOf = (ending: string) => outputFiles.find(({ path }) => path.endsWith(ending))!.text;
    return { script: textOf(".js"), style: `${chartStyle}\n${textOf(".css")}` };
  } catch (error) {
    throw new PthError("INTERNAL", `Cannot bundle the page: ${errorMessage(error)}`, {}, { cause: error });
  }
}

async function entryIn(folder: string): Promise<string> {
  for (const ending of endings) {
    const path = `${folder}/main${ending}`;
    if (await pathExists(path)) return path;
  }
  throw notThere(`${folder}/main${endings[0]}`);
}

const notThere = (path: string): PthError =>
  new PthError("INTERNAL", `Cannot bundle the page: there is no ${path}`, {
    next: ["Install PTH again; in a checkout of PTH: npm run build"],
  });

/** HTML document of the page; everything else is made by the script. */
export const pageShell = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>PTH visualizer</title>
<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect x='1' y='4' width='6' height='8' rx='2' fill='%232f6fde'/%3E%3Crect x='10' y='5' width='5' height='6' rx='2' fill='%2334a065'/%3E%3Cpath d='M7 8h3' stroke='%23888'/%3E%3C/svg%3E">
<link rel="stylesheet" href="page.css">
<script type="module" src="page.js"></script>
<body>
<div id="app"></div>
<noscript>This page needs JavaScript.</noscript>
</body>
</html>
`;
