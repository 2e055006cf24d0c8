import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t, { type Test } from "tap";
import { resolveVersion } from "../../../../src/plugin/installed_trees/resolve_version.ts";
import { hostAccess } from "../helpers.ts";

/** An environment whose npm knows 9.9.9 of each package, and whose registry answers by path: a status, and a body. */
async function makeRegistry(t: Test, answers: Record<string, [number, string]>) {
  const folder = await mkdtemp(join(tmpdir(), "pth-resolve-"));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, "bin"));
  await writeFile(join(folder, "bin/npm"), `#!/bin/sh\necho '{"version":"9.9.9"}'\n`);
  await chmod(join(folder, "bin/npm"), 0o755);
  const asked: string[] = [];
  const server = createServer(({ url = "" }, response) => {
    asked.push(url);
    const [status, body] = answers[url] ?? [404, "{}"];
    response.writeHead(status, { location: "/moved" }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.teardown(() => new Promise((resolve) => server.close(resolve)));
  const own = hostAccess(folder);
  const variables = {
    ...Object.fromEntries(
      ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"].map((name) => [name, ""]),
    ),
    PATH: `${folder}/bin:${process.env.PATH}`,
    HOME: folder,
    npm_config_registry: `http://127.0.0.1:${(server.address() as AddressInfo).port}/npm`,
  };
  const exec: typeof own.exec = (command, options) =>
    own.exec(command, { ...options, env: { ...options?.env, ...variables } });
  return {
    asked,
    resolve: (name: string, version: string) => resolveVersion({ ...own, exec }, name, version),
  };
}

t.test("a registry is asked for the version that a tag means, without npm", async (t) => {
  const manifest = JSON.stringify({
    version: "1.2.3",
    engines: { node: ">=20" },
    readme: "ä".repeat(100_000),
  });
  const { asked, resolve } = await makeRegistry(t, { "/npm/@a%2fb/latest": [200, manifest] });
  t.same(await resolve("@a/b", "latest"), { version: "1.2.3", node: ">=20" });
  t.same(asked, ["/npm/@a%2fb/latest"]);
});

t.test("what a registry does not answer plainly is left to npm", async (t) => {
  const { resolve } = await makeRegistry(t, {
    "/npm/moved/latest": [302, ""],
    "/npm/broken/latest": [200, "<html>"],
    "/npm/odd/latest": [200, "null"],
  });
  for (const name of ["moved", "broken", "odd", "unknown"]) {
    t.same(await resolve(name, "latest"), { version: "9.9.9" }, name);
  }
});
