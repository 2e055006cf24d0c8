/**
 * A path as people read it. In `node_modules` only what was fetched as the target counts, so that its name is told already;
 * files for programs (lcov, JSON) keep paths that lead somewhere.
 */
export const shownPath = (path: string): string => path.replace(/^node_modules\/(?:@[^/]+\/)?[^/]+\//, "");
