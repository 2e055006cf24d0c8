/** Python's packages go into a venv in the plugin's folder (Debian's own Python refuses them elsewhere). */

/** Interpreter of the venv, seen from the plugin's folder. */
export const venvPython = ".venv/bin/python";

const venv = (options: string) => `python3 -m venv ${options}--clear --system-site-packages .venv`;

/**
 * What the machine has may be used. The venv is made anew, since it holds the path that it was made at; where the machine has
 * pip, it serves the venv too, and copying another one in (several seconds) is spared.
 */
export const makeVenv = `{ python3 -m pip --version >/dev/null 2>&1 && ${venv("--without-pip ")} || ${
  venv("")
}; }`;

export const pipCommand = `${venvPython} -m pip --disable-pip-version-check --quiet`;
