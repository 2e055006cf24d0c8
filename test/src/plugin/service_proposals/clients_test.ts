import t from "tap";
import { findClients } from "../../../../src/plugin/service_proposals/clients.ts";
import postgresql from "../../../../src/plugin/service_kinds/postgresql.ts";
import redis from "../../../../src/plugin/service_kinds/redis.ts";

t.test("package.json on a single line", (t) => {
  const text = JSON.stringify({
    name: "pg",
    dependencies: { zod: "4", redis: "^4", pg: "^8" },
    files: ["redis"],
  });
  for (const kind of [postgresql, redis]) {
    t.strictSame(findClients("package.json", text, kind).map(({ line }) => line), [1], kind.title);
  }
  t.strictSame(findClients("package.json", '{"devDependencies":{"pg":"8"}}', postgresql), []);
  t.end();
});

t.test("package.json: what runs, not what developers use, and no name that only begins alike", (t) => {
  const text = `{
  "dependencies": {
    "pg-format": "1",
    "pg": "^8"
  },
  "devDependencies": { "ioredis": "5" },
  "optionalDependencies": { "redis": "4" }
}`;
  t.strictSame(findClients("package.json", text, postgresql), [{
    what: "depends on pg",
    file: "package.json",
    line: 4,
  }]);
  t.strictSame(findClients("package.json", text, redis).map(({ line }) => line), [7]);
  t.end();
});

t.test("Python: both kinds of files, extras and versions, comments", (t) => {
  const requirements = "# redis\nredis[hiredis]>=5\nredis_sentinel\n";
  t.strictSame(findClients("requirements.txt", requirements, redis).map(({ line }) => line), [2]);
  const project =
    '[project]\ndependencies = [\n  "mcp",\n  "psycopg[binary]>=3",\n]\n[project.optional-dependencies]\nx = ["redis"]\n';
  t.strictSame(findClients("pyproject.toml", project, postgresql).map(({ line }) => line), [4]);
  t.strictSame(findClients("pyproject.toml", project, redis), []);
  const oneLine = '[project]\ndependencies = ["mcp", "asyncpg==0.29"]\n';
  t.strictSame(findClients("pyproject.toml", oneLine, postgresql).map(({ what }) => what), [
    "depends on asyncpg",
  ]);
  const poetry =
    '[tool.poetry.dependencies]\npython = "^3.11"\nRedis = "^5"\n[tool.poetry.group.dev.dependencies]\npsycopg2 = "2"\n';
  t.strictSame(findClients("pyproject.toml", poetry, redis).map(({ line }) => line), [3]);
  t.strictSame(findClients("pyproject.toml", poetry, postgresql), []);
  t.end();
});

t.test("Go and Rust: paths with versions, single requires, only what runs", (t) => {
  const go =
    "module x\n\nrequire github.com/redis/go-redis/v9 v9.1.0\n\nrequire (\n\tgithub.com/jackc/pgx/v5 v5.4.0\n)\n";
  t.strictSame(findClients("go.mod", go, redis).map(({ line }) => line), [3]);
  t.strictSame(findClients("go.mod", go, postgresql).map(({ line }) => line), [6]);
  const rust = '[dependencies]\ntokio-postgres = "0.7"\n\n[dev-dependencies]\nredis = "0.25"\n';
  t.strictSame(findClients("Cargo.toml", rust, postgresql).map(({ line }) => line), [2]);
  t.strictSame(findClients("Cargo.toml", rust, redis), []);
  t.end();
});
