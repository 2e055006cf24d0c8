import { writeFile } from "node:fs/promises";
import t from "tap";
import { carriedSettings, parseNpmrc } from "../../../../src/runtimes/shared/carried_settings.ts";

const nowhere = { HOME: "/nonexistent", npm_config_globalconfig: "/nonexistent/npmrc" };

t.test("tokens and unknown variables stay outside", async (t) => {
  const { env } = await carriedSettings(() => true, {
    ...nowhere,
    GITHUB_TOKEN: "t",
    NPM_TOKEN: "t",
    SSH_AUTH_SOCK: "/run/ssh",
    HTTPS_PROXY: "http://user:pass@proxy:1",
    https_proxy: "http://proxy:2",
    LANG: "C.UTF-8",
  });
  t.same(env, { HTTPS_PROXY: "http://user:pass@proxy:1", https_proxy: "http://proxy:2", LANG: "C.UTF-8" });
});

t.test("registry settings come from npmrc files and variables, without credentials", async (t) => {
  const folder = t.testdir({
    global: "registry=http://global/\nstrict-ssl=false\n",
    ".npmrc":
      "registry = https://me:secret@mirror/npm/\n//mirror/npm/:_authToken=abc\n_auth=xyz\n; proxy=no\n",
  });
  const host = {
    HOME: folder,
    npm_config_globalconfig: `${folder}/global`,
    npm_config_https_proxy: "http://p",
  };
  const { env } = await carriedSettings(() => true, host);
  t.same(env, {
    npm_config_registry: "https://mirror/npm/",
    npm_config_strict_ssl: "false",
    npm_config_https_proxy: "http://p",
  });
});

t.test("CA files that the environment does not have are carried in once; folders are left out", async (t) => {
  const folder = t.testdir({});
  const ca = `${folder}/ca.crt`;
  await writeFile(ca, "x");
  const host = {
    ...nowhere,
    NODE_EXTRA_CA_CERTS: ca,
    PIP_CERT: ca,
    SSL_CERT_DIR: folder,
    SSL_CERT_FILE: "/etc/x",
  };
  const { env, files } = await carriedSettings((path) => path.startsWith("/etc/"), host);
  t.same(files, [{ hostPath: ca, envPath: "/etc/pth-carried/0-ca.crt" }]);
  t.same(env, {
    NODE_EXTRA_CA_CERTS: "/etc/pth-carried/0-ca.crt",
    PIP_CERT: "/etc/pth-carried/0-ca.crt",
    SSL_CERT_FILE: "/etc/x",
  });
});

t.test("a CA file that is not there is left out", async (t) => {
  const { env, files } = await carriedSettings(() => false, { ...nowhere, NODE_EXTRA_CA_CERTS: "/no/such" });
  t.same({ env, files }, { env: {}, files: [] });
});

t.test("variables in an npmrc are replaced", (t) => {
  t.same(parseNpmrc('cafile="${D}/ca"\nproxy=null\nfund=false\n', { D: "/etc" }), { cafile: "/etc/ca" });
  t.end();
});
