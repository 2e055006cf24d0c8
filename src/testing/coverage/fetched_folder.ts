/** Where the package lies that a target `npm:<package>` is, relative to the plugin's folder; undefined for other targets. */
export function fetchedFolder(source: string): string | undefined {
  const name = /^npm:((?:@[^/]+\/)?[^@]+)/.exec(source)?.[1];
  return name === undefined ? undefined : `node_modules/${name}`;
}
