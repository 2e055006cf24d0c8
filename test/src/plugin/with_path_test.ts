import t from "tap";
import type { PluginPlan } from "../../../machines/model/plugin.ts";
import { withPath, withServerPath } from "../../../src/plugin/with_path.ts";
import { hostAccess } from "./helpers.ts";

const plan = (more: Partial<PluginPlan> = {}): PluginPlan => ({
  name: "p",
  source: "/p",
  folder: "/work/p",
  build: { system: "npm", evidence: "package.json", toolchains: [] },
  server: { type: "stdio", command: ["x"], env: { A: "1" }, cwd: "/work/p" },
  ...more,
});

t.test("programs of the plugin's packages stand first on the server's PATH, and a Node that was brought in before them", async (t) => {
  const env = hostAccess("/");
  t.equal(
    (await withServerPath(plan(), env)).server.env.PATH,
    `/work/p/node_modules/.bin:${process.env.PATH}`,
  );
  const { server } = await withServerPath(plan({ node: "/work/.pth-node/22.1.0/bin" }), env);
  t.equal(server.env.PATH, `/work/.pth-node/22.1.0/bin:/work/p/node_modules/.bin:${process.env.PATH}`);
  t.equal(server.env.A, "1");
});

t.test("a PATH that the plugin declares stays, behind its packages' programs", async (t) => {
  const declared = plan({ server: { type: "stdio", command: ["x"], env: { PATH: "/own" }, cwd: "/" } });
  const { server } = await withServerPath(declared, hostAccess("/"));
  t.equal(server.env.PATH, "/work/p/node_modules/.bin:/own");
});

t.test("a plugin without packages, and a server that runs elsewhere, keep their PATH", async (t) => {
  const python = plan({ build: { system: "pip", evidence: "setup.py", toolchains: [] } });
  t.same(await withServerPath(python, hostAccess("/")), python);
  const remote = plan({ server: { type: "http", url: "http://127.0.0.1:1/mcp", env: {}, cwd: "/" } });
  t.same(await withServerPath(remote, hostAccess("/")), remote);
});

t.test("a command finds the programs of folders that are put first", async (t) => {
  const env = withPath(hostAccess("/"), ["/one", "/with blank"]);
  const { stdout } = await env.exec(["sh", "-c", 'printf "%s" "$PATH $1"', "sh", "a b"]);
  t.equal(stdout, `/one:/with blank:${process.env.PATH} a b`);
});
