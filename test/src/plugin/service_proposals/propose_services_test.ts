import t from "tap";
import { parse } from "yaml";
import { environmentConfig } from "../../../../src/api/environment_config.ts";
import { withSnakeCaseKeys } from "../../../../src/cli/options/read_config_file.ts";
import type { PluginSources } from "../../../../src/plugin/plugin_sources.ts";
import {
  proposalLines,
  proposalYaml,
  proposeServices,
} from "../../../../src/plugin/service_proposals/propose_services.ts";
import { registry } from "../../../../src/plugin/service_kinds/_registry.ts";

const sourcesOf = (files: Record<string, string>): PluginSources => ({
  list: () => Promise.resolve(Object.keys(files).filter((path) => /\.(js|py|go)$/.test(path))),
  read: (path) => Promise.resolve(files[path]),
});
const propose = (files: Record<string, string>) => proposeServices("/plugin", sourcesOf(files));

t.test("a library and its variable make one proposal, which tells the plugin its address", async (t) => {
  const found = await propose({
    "package.json": '{\n  "dependencies": { "ioredis": "5" }\n}',
    "index.js": "import Redis from 'ioredis';\nnew Redis(process.env.CACHE ?? process.env.REDIS_URL);\n",
  });
  t.match(proposalLines(found), [
    /^Redis \(depends on ioredis, package\.json:2; reads REDIS_URL, index\.js:2\)$/,
  ]);
  t.strictSame(found.config.targetPlugin, { configValues: { REDIS_URL: "${PTH_SERVICE_REDIS_URL}" } });
});

t.test("a variable that many use counts only beside a library", async (t) => {
  const code = { "main.py": 'import os\nurl = os.environ["DATABASE_URL"]\n' };
  t.strictSame((await propose(code)).proposals, []);
  const found = await propose({ ...code, "requirements.txt": "asyncpg\n" });
  t.match(found.proposals, [{
    title: "PostgreSQL",
    variables: { DATABASE_URL: "${PTH_SERVICE_POSTGRES_URL}" },
  }]);
});

t.test("comments, prose and tests say nothing", async (t) => {
  const found = await propose({
    "index.js": "// set REDIS_URL\nconst help = 'Set REDIS_URL to use a cache';\n",
    "README.md": "REDIS_URL=redis://localhost",
    "test/cache.test.js": "process.env.REDIS_URL = 'x';",
  });
  t.strictSame(found.proposals, []);
  t.strictSame(found.config.fixtures.services, []);
});

t.test("a variable's value in .env.example tells what a shared name stands for", async (t) => {
  const found = await propose({ ".env.example": "DATABASE_URL=mysql://root@localhost/x\n" });
  t.match(found.proposals, [{ title: "MySQL or MariaDB", reasons: [{ file: ".env.example", line: 1 }] }]);
});

t.test("what the compose file runs is taken as it is, with the account of its variables", async (t) => {
  const found = await propose({
    "package.json": '{ "dependencies": { "pg": "8" } }',
    "compose.yaml":
      "services:\n  db:\n    image: registry:5000/team/postgres:16\n    environment: { POSTGRES_USER: app, POSTGRES_PASSWORD: pw, POSTGRES_DB: shop }\n" +
      "  search: { image: meilisearch }\n",
  });
  t.match(found.proposals, [
    {
      title: "PostgreSQL",
      definition: {
        name: "db",
        image: "registry:5000/team/postgres:16",
        port: 5432,
        url: "postgres://app:pw@{host}:{port}/shop",
      },
      variables: { DATABASE_URL: "${PTH_SERVICE_DB_URL}" },
    },
    { title: "search", definition: { image: "meilisearch" } },
  ]);
  t.equal(found.proposals.length, 2);
});

t.test("every kind's definition, and what is to be pasted, is valid configuration", async (t) => {
  for (const { definition, setupScripts = [], title } of registry) {
    const parsed = environmentConfig.safeParse({ fixtures: { services: [definition], setupScripts } });
    t.ok(parsed.success, `${title}: ${parsed.error}`);
  }
  const packages = registry.map(({ libraries }) => libraries.npm![0]!);
  const manifest = { dependencies: Object.fromEntries(packages.map((name) => [name, "1"])) };
  const found = await propose({ "package.json": JSON.stringify(manifest, null, 2) });
  t.equal(found.proposals.length, registry.length);
  const fromFile = withSnakeCaseKeys(environmentConfig).safeParse(parse(proposalYaml(found)));
  t.ok(fromFile.success, String(fromFile.error));
  t.strictSame(fromFile.data, environmentConfig.parse(found.config));
});
