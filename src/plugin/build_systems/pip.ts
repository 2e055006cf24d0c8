import { defineBuildSystem, makeVenv, pipCommand } from "../build_system.ts";

/** Sources that Python cannot use without a build of their own. */
const compiled = /ext_modules|maturin|scikit-build|mesonpy|setuptools[-_]rust|cython/i;

/** `setup.py` or `pyproject.toml`: installed, editable, into a venv in the plugin's folder. */
export default defineBuildSystem({
  name: "pip",
  row: 4,
  async detect(folder) {
    const pyproject = await folder.read("pyproject.toml");
    const setup = await folder.read("setup.py");
    // A pyproject.toml that only configures tools is nothing to install.
    const installable = setup !== undefined ||
      /^\s*\[(project|build-system|tool\.poetry)\]/m.test(pyproject ?? "");
    if (!installable) return undefined;
    // The second try serves machines without a package index: setuptools of the machine has to do.
    const editable = `${pipCommand} install -e . || ${pipCommand} install --no-build-isolation -e .`;
    return {
      system: "pip",
      evidence: setup === undefined ? "pyproject.toml" : "setup.py",
      install: `${makeVenv} && { ${editable}; }`,
      ...(compiled.test(`${pyproject} ${setup}`) ? { build: editable } : {}),
      toolchains: ["python3"],
    };
  },
});
