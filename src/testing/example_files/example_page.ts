/** The example files as pages at a fixed address of the loopback, for tools that take the address of one. */
import { extname } from "node:path";
import { exampleFiles } from "./example_files.ts";

/** Fixed, so that an input that was learned works in later runs. */
export const examplePagePort = 47_813;

/** Header of each answer: it tells one that another PTH serves from someone else's server. */
export const examplePageHeader = "x-pth-example";

/** @param extension of the example file, `html` for a page */
export const examplePageUrl = (extension: string): string =>
  `http://127.0.0.1:${examplePagePort}/example.${extension}`;

/** Whether inputs name an example page. */
export const namesExamplePage = (inputs: unknown): boolean =>
  JSON.stringify(inputs)?.includes(`127.0.0.1:${examplePagePort}/`) ?? false;

const mediaTypes: Record<string, string> = {
  html: "text/html; charset=utf-8",
  json: "application/json",
  csv: "text/csv",
  xml: "application/xml",
  md: "text/markdown",
  svg: "image/svg+xml",
  png: "image/png",
  pdf: "application/pdf",
  zip: "application/zip",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
};

export interface ExamplePage {
  mediaType: string;
  body: Uint8Array;
}

/** The pages by their paths, `/` among them; files within folders have none. */
export function examplePages(): Map<string, ExamplePage> {
  const pages = new Map<string, ExamplePage>();
  for (const [path, body] of exampleFiles()) {
    if (path.includes("/")) continue;
    const mediaType = mediaTypes[extname(path).slice(1)] ?? "text/plain; charset=utf-8";
    pages.set(`/${path}`, { mediaType, body });
  }
  pages.set("/", pages.get("/example.html")!);
  return pages;
}
