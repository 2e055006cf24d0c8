/** Links that open a file of this machine in VS Code and in JetBrains' editors. */
import { emptyMarkup, type Markup, markup } from "../../../testing/reporters/html/markup.ts";

/** Absolute path, of POSIX or of Windows. */
const absolute = /^(?:\/|[A-Za-z]:[\\/])/;

/** The path with its links; without them where it is not absolute. */
export function editorLinks(path: string, line?: number): Markup {
  const shown = markup`<span class="path">${path}${line === undefined ? "" : `:${line}`}</span>`;
  if (!absolute.test(path)) return shown;
  const file = encodeURI(path.toWellFormed().replaceAll("\\", "/")).replaceAll(/[?#]/g, encodeURIComponent);
  const query = encodeURIComponent(path.toWellFormed());
  const code = `vscode://file/${file.replace(/^\//, "")}${line === undefined ? "" : `:${line}`}`;
  const jetBrains = `idea://open?file=${query}${line === undefined ? "" : `&line=${line}`}`;
  return markup`${shown} <span class="editors"><a href="${code}">VS Code</a> <a href="${jetBrains}">JetBrains</a></span>`;
}

/** Links of a path that may be empty. */
export const optionalEditorLinks = (path: string): Markup => path === "" ? emptyMarkup : editorLinks(path);
