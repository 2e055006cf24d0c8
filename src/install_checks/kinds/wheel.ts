import { posix } from "node:path";
import type { InstalledProgram, InstallFault } from "../../../machines/model/install_check.ts";
import { PthError } from "../../core/errors.ts";
import { visibleName } from "../../core/text.ts";
import { assetText } from "../../platform/asset_text.ts";
import { type EnvironmentAccess, insideFolder } from "../../plugin/environment_access.ts";
import { tomlTable } from "../../plugin/package_json.ts";
import type { ReadableFolder } from "../../plugin/readable_folder.ts";
import { errorLine, failureOutput } from "../failure_output.ts";
import { defineInstallKind, noPackageParts } from "../install_kind.ts";
import { pythonFaults } from "../python_imports.ts";
import { startOutside } from "../start_outside.ts";
import { consoleScripts } from "../wheel_distribution.ts";
import { wheelFaults } from "../wheel_faults.ts";

const projectFile = "pyproject.toml";
const limitMs = 300_000;
/** Words of pip where the build system, or the index that has it, is not there. */
const noBuilder =
  /No matching distribution found|Failed to establish a new connection|invalid command 'bdist_wheel'|No module named '?(?:setuptools|wheel|hatchling|poetry|flit_core|pdm)|BackendUnavailable/;

/** A wheel of Python: `pip wheel`, and `pip install` of it into a virtual environment. */
export default defineInstallKind({
  name: "wheel",
  summary:
    "`pip wheel`, `pip install` of the wheel into an empty virtual environment, each module imported, each script started",
  detectedBy: "a pyproject.toml with `[project]` or `[build-system]`",
  needs: ["python3"],
  archives: /\.whl$/,
  declaresServers: false,
  detects: async (folder) => /^\s*\[(?:project|build-system)\]/m.test(await folder.read(projectFile) ?? ""),
  // What is installed is what is packed; a load also builds what is compiled.
  servers: async (folder) => await serverScript(folder) === undefined ? [] : [{ name: "" }],
  async pack({ env, folder, source, archive, signal }) {
    if (archive !== undefined) return { path: archive, notes: [] };
    const { code, stdout, output } = await run(env, "install/pack_wheel.sh", [source!, folder], signal);
    const path = stdout.trim().split("\n").at(-1) ?? "";
    if (code === 0 && path.endsWith(".whl")) return { path, notes: [] };
    if (code === 44 || noBuilder.test(output)) {
      throw new PthError(
        "TOOLCHAIN_MISSING",
        "Cannot make a wheel: pip, or the project's build system, is not there",
        {
          output: failureOutput(output, folder),
          next: [
            "Check in an environment that has it, or reaches a package index",
            "Give a wheel that was made before",
          ],
        },
      );
    }
    return { path: "", notes: [], fault: pipFault("not-packed", "pip wheel", output, folder) };
  },
  async install({ env, folder, signal }, { path }) {
    const home = posix.join(folder, "venv");
    const project = posix.join(folder, "project");
    await env.exec(["mkdir", "-p", project], { cwd: "/" });
    const { code, stdout, output } = await run(env, "install/install_wheel.sh", [path, home], signal);
    const root = stdout.trim().split("\n").at(-1) ?? "";
    if (code !== 0) {
      const fault = pipFault("not-installed", "pip install", output, folder);
      return { root: "", servers: [], programs: [], notes: [], fault };
    }
    const { modules, scripts, own } = await contentsOf(insideFolder(env, root), posix.basename(path));
    const python = posix.join(home, "bin/python");
    const importOf = (place: string, name: string): InstalledProgram => ({
      place,
      command: [python, "-c", assetText("install/import_object.py"), name],
      cwd: project,
      code: "import-fails",
    });
    const names = Object.keys(scripts);
    const server = names.length === 1 ? names[0] : names.find((name) => name === own);
    return {
      root,
      servers: server === undefined
        ? []
        : [{ name: "", command: startOutside(project, {}, [posix.join(home, "bin", server)]) }],
      programs: [
        ...modules.map((name) => importOf(`module ${visibleName(name)}`, name)),
        ...Object.entries(scripts).map(([name, target]) =>
          importOf(`${projectFile}: scripts.${visibleName(name)}`, target)
        ),
      ],
      notes: [],
    };
  },
  inspect: async (trees) => [...await pythonFaults(trees), ...await wheelFaults(trees)],
  async parts(tree) {
    const file = [...tree.entries.keys()].find((path) => /^[^/]+\.dist-info\/entry_points\.txt$/.test(path));
    const installed = file === undefined ? {} : consoleScripts(await tree.read(file) ?? "");
    const declared = scriptsIn(await tree.read(projectFile) ?? "");
    return { ...noPackageParts, programs: Object.keys({ ...installed, ...declared }).sort() };
  },
});

const scriptsIn = (project: string): Record<string, string> => tomlTable(project, "project.scripts");

/** Name of the script that starts the server: the only one, or the one of the project's name. */
async function serverScript(folder: ReadableFolder): Promise<string | undefined> {
  const text = await folder.read(projectFile) ?? "";
  const names = Object.keys(scriptsIn(text));
  return names.length === 1 ? names[0] : names.find((name) => name === tomlTable(text, "project").name);
}

/** Modules and scripts of the distribution whose wheel it is; others of the environment are its dependencies. */
async function contentsOf(
  packages: ReadableFolder,
  wheel: string,
): Promise<{ modules: string[]; scripts: Record<string, string>; own: string }> {
  const [own = "", version = ""] = wheel.split("-");
  const info = `${own}-${version}.dist-info`;
  const record = await packages.read(`${info}/RECORD`) ?? "";
  const modules = record.split("\n").flatMap((line) => {
    const found = /^([A-Za-z_]\w*)(?:\/__init__)?\.py,/.exec(line)?.[1];
    return found === undefined ? [] : [found];
  });
  const scripts = consoleScripts(await packages.read(`${info}/entry_points.txt`) ?? "");
  return { modules: [...new Set(modules)], scripts, own: own.replaceAll("_", "-") };
}

async function run(env: EnvironmentAccess, script: string, args: string[], signal: AbortSignal) {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
  const ended = await env.exec(["sh", "-c", assetText(script), "sh", ...args], { cwd: "/", signal: limit });
  return { ...ended, output: `${ended.stdout}\n${ended.stderr}` };
}

const pipFault = (
  code: "not-packed" | "not-installed",
  command: string,
  output: string,
  folder: string,
): InstallFault => ({
  code: /Requires-Python|requires a different Python|is not a supported wheel on this platform/.test(output)
    ? "wrong-engine"
    : code,
  place: projectFile,
  message: `${command} fails: ${
    visibleName((errorLine(output) ?? output.trim().split("\n").at(-1) ?? "").trim(), 300)
  }`,
  next: "Correct what the output names",
  output: failureOutput(output, folder),
});
