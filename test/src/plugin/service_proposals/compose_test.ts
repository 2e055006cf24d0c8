import t from "tap";
import { readCompose } from "../../../../src/plugin/service_proposals/compose.ts";

t.test("image, port, variables and health check become a definition; what is built from the source does not", (t) => {
  const { services, problems } = readCompose(
    "compose.yaml",
    `services:
  app:
    build: .
    image: own/app
  db:
    image: postgres:\${TAG:-16}
    ports: ["127.0.0.1:5433:5432/tcp"]
    environment: { POSTGRES_PASSWORD: "\${PW}", EMPTY: }
    healthcheck: { test: [CMD-SHELL, "pg_isready -U $$USER"] }
  queue:
    image: rabbitmq
    ports: [{ target: 5672, published: 9000 }]
    environment: [A=b=c, PASSED_ON]
    command: rabbitmq-server --flag
    healthcheck: { test: [CMD, sh, -c, "a b"] }
`,
  );
  t.strictSame(problems, []);
  t.strictSame(services, [
    {
      definition: {
        name: "db",
        image: "postgres:16",
        port: 5432,
        env: { POSTGRES_PASSWORD: "${env:PW}" },
        ready: "pg_isready -U $USER",
      },
      line: 6,
    },
    {
      definition: {
        name: "queue",
        image: "rabbitmq",
        command: ["rabbitmq-server", "--flag"],
        port: 5672,
        env: { A: "b=c" },
        ready: "sh -c 'a b'",
      },
      line: 11,
    },
  ]);
  t.end();
});

t.test("a file that is no YAML, or no compose file, gives no services and says where it is wrong", (t) => {
  const broken = readCompose("compose.yml", "services:\n  db: { image: x\n");
  t.strictSame(broken.services, []);
  t.match(broken.problems, [/^compose\.yml:\d+:\d+ /]);
  t.strictSame(readCompose("compose.yml", "[1, 2]"), { services: [], problems: [] });
  t.strictSame(readCompose("compose.yml", ""), { services: [], problems: [] });
  t.end();
});
