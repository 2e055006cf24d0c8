import { aptInstall, defineServiceKind } from "../service_kind.ts";

const programs = "$(ls -d /usr/lib/postgresql/*/bin | tail -n 1)";
const data = "/var/lib/postgresql/pth";

export default defineServiceKind({
  title: "PostgreSQL",
  libraries: {
    npm: [
      "pg",
      "postgres",
      "pg-promise",
      "slonik",
      "@vercel/postgres",
      "@neondatabase/serverless",
      "pg-pool",
    ],
    python: ["psycopg", "psycopg2", "psycopg2-binary", "psycopg-binary", "asyncpg", "pg8000", "aiopg"],
    go: ["github.com/jackc/pgx", "github.com/lib/pq", "gorm.io/driver/postgres"],
    rust: ["postgres", "tokio-postgres", "deadpool-postgres", "sqlx-postgres"],
  },
  variables:
    /^(?:PG(?:HOST|PORT|USER|PASSWORD|DATABASE)|(?:POSTGRES|POSTGRESQL|PG)_(?:URL|URI|HOST|PORT|DSN|CONNECTION_STRING))$/,
  sharedVariables: /^(?:DATABASE|DB)_(?:URL|URI|DSN)$/,
  schemes: ["postgres", "postgresql"],
  images: /^(?:postgres|postgresql|postgis|timescaledb(?:-ha)?|pgvector)$/,
  port: 5432,
  setupScripts: [
    aptInstall("postgresql", "postgresql-client"),
    `su postgres -c "${programs}/initdb -D ${data} -A trust"`,
  ],
  definition: {
    name: "postgres",
    command: `exec su postgres -c "exec ${programs}/postgres -D ${data} -p {port} -k /tmp"`,
    ready: "pg_isready -q -h 127.0.0.1 -p {port}",
    url: "postgres://postgres@{host}:{port}/postgres",
  },
  variable: "DATABASE_URL",
});
