/** Of which files a measured map tells, by not naming them, that no test loads them. */
import { extname } from "node:path";
import type { ImpactMap } from "../../../machines/model/coverage.ts";

/**
 * Only of sources in a language that was measured; and of none where what a bundler or compiler made was measured, without a
 * way back to its sources.
 * @param own paths of the plugin's sources
 */
export function knownUnloaded(
  { functions = {} }: ImpactMap,
  own: ReadonlySet<string>,
): (path: string) => boolean {
  const measured = Object.keys(functions);
  if (!measured.every((path) => own.has(path))) return () => false;
  const languages = new Set(measured.map(languageOf));
  return (path) => own.has(path) && languages.has(languageOf(path));
}

const languageOf = (path: string): string => /\.[cm]?[jt]sx?$/.test(path) ? "JavaScript" : extname(path);
