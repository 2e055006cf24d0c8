import { posix } from "node:path";
import type { InstallFault } from "../../../machines/model/install_check.ts";
import { PthError } from "../../core/errors.ts";
import { visibleName } from "../../core/text.ts";
import { isObject, jsonIn } from "../../core/values.ts";
import { assetText } from "../../platform/asset_text.ts";
import { insideFolder } from "../../plugin/environment_access.ts";
import { makeExpander } from "../../plugin/expander.ts";
import { commandFaults } from "../command_faults.ts";
import { engineFaults } from "../engine_faults.ts";
import type { PackageTree } from "../inside_tree.ts";
import { defineInstallKind, type InstallPlace, noPackageParts } from "../install_kind.ts";
import { importFaults, notBrought } from "../module_imports.ts";
import { packagesIn } from "../packages_in.ts";
import { pathFault } from "../path_fault.ts";
import type { PluginCommand } from "../claude_manifest.ts";
import { startOutside } from "../start_outside.ts";
import { versionFault } from "../version_fault.ts";

const manifestFile = "manifest.json";
const rootVariable = "__dirname";
const packing = "Have it made before the bundle, and take it out of .mcpbignore";

/** An MCPB bundle (formerly DXT): its folder holds all that its server needs. */
export default defineInstallKind({
  name: "mcpb",
  summary:
    "the folder without what `mcpb pack` leaves out, or the bundle unpacked; its server is started as `mcp_config` says",
  detectedBy: "a manifest.json with `server` and `manifest_version` or `dxt_version`",
  needs: [],
  archives: /\.(?:mcpb|dxt)$/,
  declaresServers: true,
  async detects(folder) {
    const manifest = jsonIn(await folder.read(manifestFile) ?? "");
    return isObject(manifest) && isObject(manifest.server) &&
      ("manifest_version" in manifest || "dxt_version" in manifest);
  },
  async servers(folder, path) {
    const server = startOf(jsonIn(await folder.read(manifestFile) ?? ""), path, path);
    return server === undefined ? [] : [{ name: "", command: server.command }];
  },
  async pack({ env, folder, source, archive, signal }) {
    const bundle = posix.join(folder, "bundle");
    const [script, from] = archive === undefined
      ? [assetText("install/copy_bundle.sh"), source!]
      : [assetText("install/unpack_zip.sh"), archive];
    const { code, stderr } = await env.exec(["sh", "-c", script, "sh", from, bundle], { cwd: "/", signal });
    if (code === 0) return { path: bundle, notes: [] };
    if (code === 44) {
      throw new PthError(
        "TOOLCHAIN_MISSING",
        "Cannot unpack the bundle: there is neither unzip nor python3",
        {
          next: ["Check in an environment that has one of them"],
        },
      );
    }
    const fault = {
      code: "not-installed" as const,
      place: manifestFile,
      message: `the bundle cannot be unpacked: ${visibleName(stderr.trim(), 200)}`,
      next: "Pack it again: mcpb pack",
    };
    return { path: bundle, notes: [], fault };
  },
  async install({ env, folder }: InstallPlace, { path: root }) {
    const project = posix.join(folder, "project");
    await env.exec(["mkdir", "-p", project], { cwd: "/" });
    const manifest = jsonIn(await insideFolder(env, root).read(manifestFile) ?? "");
    const server = startOf(manifest, root, project);
    return {
      root,
      servers: server === undefined ? [] : [{ name: "", command: server.command }],
      programs: [],
      notes: server === undefined || server.missing.length === 0
        ? []
        : [`The server was started without a value for ${server.missing.join(", ")}`],
    };
  },
  async inspect(trees) {
    const { env, root, installed, sourceRoot, tools } = trees;
    const manifest = jsonIn(await installed.read(manifestFile) ?? "");
    if (!isObject(manifest) || !isObject(manifest.server)) {
      return [{
        code: "wrong-path",
        place: manifestFile,
        message: "the manifest is not in the bundle, or cannot be read",
        next: "Correct manifest.json",
      }];
    }
    const { server, compatibility, icon } = manifest;
    const runtimes = isObject(compatibility) && isObject(compatibility.runtimes)
      ? compatibility.runtimes
      : {};
    const named: [string, unknown][] = [
      ["server.entry_point", server.entry_point],
      ["icon", icon],
      ...(Array.isArray(manifest.screenshots) ? manifest.screenshots : []).map((path, index): [
        string,
        unknown,
      ] => [`screenshots[${index}]`, path]),
    ];
    const paths = named.flatMap(([key, path]) =>
      typeof path !== "string" || /^https?:/.test(path)
        ? []
        : pathFault({ place: `${manifestFile}: ${key}`, path, packing }, trees) ?? []
    );
    const config = isObject(server.mcp_config) ? server.mcp_config : {};
    const args = (Array.isArray(config.args) ? config.args : []).filter((arg) => typeof arg === "string");
    const words = [...(typeof config.command === "string" ? [config.command] : []), ...args];
    const { faults, files } = await commandFaults(
      [
        { place: `${manifestFile}: server.mcp_config`, words, shell: false },
        ...overridesOf(config),
      ],
      trees,
      { root: rootVariable, packing, sourceRoot },
    );
    const packages = await packagesIn(insideFolder(env, root));
    const entry = typeof server.entry_point === "string" ? [posix.normalize(server.entry_point)] : [];
    return [
      ...paths,
      ...faults,
      ...(words.length > 0 ? [] : [noCommand]),
      ...await importFaults(trees, {
        entries: [...entry, ...files],
        packing,
        foreign: (name) =>
          packages.has(name) ? undefined : {
            message: `${notBrought(name)}: a bundle holds all of its packages`,
            next: `Install ${visibleName(name)} as a dependency before the bundle is packed`,
          },
      }),
      ...await engineFaults(env, `${manifestFile}: compatibility.runtimes.node`, runtimes.node),
      ...toolFaults(manifest, tools),
      ...manifestFaults(manifest, server),
      ...versionFault(
        { place: manifestFile, version: manifest.version },
        { place: "package.json: version", version: packageVersion(await installed.read("package.json")) },
      ),
    ];
  },
  parts: (_tree: PackageTree) => Promise.resolve(noPackageParts),
});

/** Commands for single platforms, which take the place of the usual one. */
function overridesOf({ platform_overrides: overrides }: Record<string, unknown>): PluginCommand[] {
  return Object.entries(isObject(overrides) ? overrides : {}).flatMap(([platform, one]): PluginCommand[] => {
    if (!isObject(one)) return [];
    const words = [one.command, ...(Array.isArray(one.args) ? one.args : [])];
    const place = `${manifestFile}: server.mcp_config.platform_overrides.${visibleName(platform)}`;
    return [{ place, words: words.filter((word) => typeof word === "string"), shell: false }];
  });
}

const packageVersion = (text: string | undefined): unknown => {
  const manifest = jsonIn(text ?? "");
  return isObject(manifest) ? manifest.version : undefined;
};

const serverTypes = ["node", "python", "binary", "uv"];
const platforms = ["darwin", "win32", "linux"];

/** Fields that a host asks for before it installs a bundle, and options that are not declared. */
function manifestFaults(
  manifest: Record<string, unknown>,
  server: Record<string, unknown>,
): InstallFault[] {
  const { author, compatibility, user_config } = manifest;
  const refused = (key: string, message: string, next: string): InstallFault => ({
    code: "not-installed",
    place: `${manifestFile}: ${key}`,
    message,
    next,
  });
  const lacking = ["name", "version", "description"].filter((key) =>
    typeof manifest[key] !== "string" || manifest[key] === ""
  );
  if (!isObject(author) || typeof author.name !== "string") lacking.push("author.name");
  const known = isObject(user_config) ? user_config : {};
  const options = [...JSON.stringify(server).matchAll(/\$\{user_config\.([\w-]+)\}/g)].map(([, name]) =>
    name!
  );
  const asked = isObject(compatibility) && Array.isArray(compatibility.platforms)
    ? compatibility.platforms
    : [];
  return [
    ...lacking.map((key) =>
      refused(key, `there is no ${key}: hosts do not install a bundle without one`, `Write ${key}`)
    ),
    ...(serverTypes.includes(server.type as string) ? [] : [
      refused(
        "server.type",
        `${visibleName(JSON.stringify(server.type) ?? "nothing")} is no type of server`,
        `Write one of ${serverTypes.join(", ")}`,
      ),
    ]),
    ...[...new Set(options)].filter((name) => !(name in known)).map((name): InstallFault => ({
      code: "wrong-path",
      place: `${manifestFile}: user_config.${visibleName(name)}`,
      message: `the server is started with the option ${
        visibleName(name)
      }, which user_config does not declare`,
      next: "Declare it below user_config, or take it out",
    })),
    ...asked.filter((name) => !platforms.includes(name as string)).map((name): InstallFault => ({
      code: "wrong-engine",
      place: `${manifestFile}: compatibility.platforms`,
      message: `${visibleName(JSON.stringify(name))} is no platform`,
      next: `Write some of ${platforms.join(", ")}`,
    })),
  ];
}

const noCommand: InstallFault = {
  code: "not-started",
  place: `${manifestFile}: server.mcp_config`,
  message: "there is no command that starts the server",
  next: 'Name it: "mcp_config": { "command": "node", "args": ["${__dirname}/server/index.js"] }',
};

/** Tools that the manifest names, and the server does not have. */
function toolFaults(
  { tools, tools_generated }: Record<string, unknown>,
  served: readonly string[] | undefined,
) {
  if (served === undefined || tools_generated === true || !Array.isArray(tools)) return [];
  return tools.filter(isObject).flatMap(({ name }): InstallFault[] =>
    typeof name !== "string" || served.includes(name) ? [] : [{
      code: "part-lost",
      place: `${manifestFile}: tools`,
      message: `the manifest names the tool ${visibleName(name)}, and the server has none of that name`,
      next: "Correct the name, or take it out",
    }]
  );
}

/** Command of the server with its references resolved; undefined where the manifest has none. */
function startOf(
  manifest: unknown,
  root: string,
  project: string,
): { command: string[]; missing: string[] } | undefined {
  if (!isObject(manifest) || !isObject(manifest.server)) return undefined;
  const config = isObject(manifest.server.mcp_config) ? manifest.server.mcp_config : {};
  if (typeof config.command !== "string") return undefined;
  const options = isObject(manifest.user_config) ? manifest.user_config : {};
  const defaults = Object.entries(options).flatMap(([key, option]) =>
    isObject(option) && option.default !== undefined ? [[key, String(option.default)]] : []
  );
  const { expand, missing } = makeExpander({
    ...Object.fromEntries(defaults),
    [rootVariable]: root,
    HOME: project,
    pathSeparator: "/",
  });
  const args = (Array.isArray(config.args) ? config.args : []).map(String);
  const env = Object.entries(isObject(config.env) ? config.env : {}).map(([name, value]) =>
    [name, expand(String(value))] as const
  );
  const command = [config.command, ...args].map((word) => expand(word.replaceAll("${/}", "/")));
  return { command: startOutside(project, Object.fromEntries(env), command), missing: [...missing] };
}
