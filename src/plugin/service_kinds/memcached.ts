import { aptInstall, defineServiceKind } from "../service_kind.ts";

export default defineServiceKind({
  title: "Memcached",
  libraries: {
    npm: ["memcached", "memjs"],
    python: ["pymemcache", "python-memcached", "pylibmc", "aiomcache"],
    go: ["github.com/bradfitz/gomemcache"],
    rust: ["memcache"],
  },
  variables: /^MEMCACHED?_(?:URL|HOST|PORT|SERVERS?)$/,
  schemes: ["memcached", "memcache"],
  images: /^memcached$/,
  port: 11211,
  setupScripts: [aptInstall("memcached")],
  definition: {
    name: "memcached",
    command: "exec memcached -u nobody -l 127.0.0.1 -p {port}",
    ready: { port: true },
    url: "{host}:{port}",
  },
  variable: "MEMCACHED_SERVERS",
});
