/** Python's packages go into a venv in the plugin's folder (Debian's own Python refuses them elsewhere). */

/** Interpreter of the venv, seen from the plugin's folder. */
export const venvPython = ".venv/bin/python";

/** What the machine has may be used; it is made anew, since a venv holds the path that it was made at. */
export const makeVenv = "python3 -m venv --clear --system-site-packages .venv";

export const pip = `${venvPython} -m pip --disable-pip-version-check --quiet`;
