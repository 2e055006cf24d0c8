import { defineServiceKind } from "../service_kind.ts";

export default defineServiceKind({
  title: "RabbitMQ",
  libraries: {
    npm: ["amqplib", "amqp-connection-manager", "rhea", "rascal"],
    python: ["pika", "aio-pika", "amqp", "kombu"],
    go: ["github.com/rabbitmq/amqp091-go", "github.com/streadway/amqp"],
    rust: ["lapin", "amqprs"],
  },
  variables: /^(?:AMQP|RABBITMQ|RABBIT|CLOUDAMQP)_(?:URL|URI|HOST|PORT)$/,
  schemes: ["amqp", "amqps"],
  images: /^rabbitmq$/,
  port: 5672,
  definition: {
    name: "rabbitmq",
    image: "rabbitmq:3",
    port: 5672,
    ready: "rabbitmq-diagnostics -q check_port_connectivity",
    timeout: 90,
    url: "amqp://guest:guest@{host}:{port}",
  },
  variable: "AMQP_URL",
});
