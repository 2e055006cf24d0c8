import { aptInstall, defineServiceKind } from "../service_kind.ts";

export default defineServiceKind({
  title: "Redis",
  libraries: {
    npm: ["redis", "ioredis", "@redis/client", "bull", "bullmq", "bee-queue", "connect-redis"],
    python: ["redis", "aioredis", "hiredis", "rq", "walrus"],
    go: ["github.com/redis/go-redis", "github.com/go-redis/redis", "github.com/gomodule/redigo"],
    rust: ["redis", "fred", "deadpool-redis"],
  },
  variables: /^(?:REDIS|VALKEY)_(?:URL|URI|HOST|PORT|ADDR|CONNECTION_STRING)$/,
  schemes: ["redis", "rediss"],
  images: /^(?:redis|valkey|redis-stack(?:-server)?|keydb|dragonfly)$/,
  port: 6379,
  setupScripts: [aptInstall("redis-server", "redis-tools")],
  definition: {
    name: "redis",
    command: 'redis-server --port {port} --save "" --dir /tmp',
    ready: "redis-cli -p {port} ping | grep -q PONG",
    url: "redis://{host}:{port}",
  },
  variable: "REDIS_URL",
});
