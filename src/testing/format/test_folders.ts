/** Folders of a plugin's tests, relative to its own. */

export const defaultTestFolder = ".pth/tests";

/** Part of the test folder that PTH writes at the end of a session, and may overwrite. */
export const generatedFolder = `${defaultTestFolder}/generated`;
