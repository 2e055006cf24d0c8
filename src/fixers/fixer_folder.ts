/** The folder beside a session's worktree that fixers work in: no environment ever sees it. */

/** Holds `tree`, the checkout, and `index`, PTH's own knowledge of it. `pth clean` finds it by the register and by its name. */
export const fixerFolder = (worktree: string): string => `${worktree}-fixer`;
