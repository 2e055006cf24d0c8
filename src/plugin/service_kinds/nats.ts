import { aptInstall, defineServiceKind } from "../service_kind.ts";

export default defineServiceKind({
  title: "NATS",
  libraries: {
    npm: ["nats", "@nats-io/transport-node"],
    python: ["nats-py"],
    go: ["github.com/nats-io/nats.go"],
    rust: ["async-nats", "nats"],
  },
  variables: /^NATS_(?:URL|SERVERS?|HOST)$/,
  schemes: ["nats"],
  images: /^nats$/,
  port: 4222,
  setupScripts: [aptInstall("nats-server")],
  definition: {
    name: "nats",
    command: "exec nats-server -a 127.0.0.1 -p {port}",
    ready: { port: true },
    url: "nats://{host}:{port}",
  },
  variable: "NATS_URL",
});
