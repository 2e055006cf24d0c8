import { defineServiceKind } from "../service_kind.ts";

export default defineServiceKind({
  title: "Kafka",
  libraries: {
    npm: ["kafkajs", "node-rdkafka", "@confluentinc/kafka-javascript", "kafka-node"],
    python: ["kafka-python", "confluent-kafka", "aiokafka"],
    go: ["github.com/segmentio/kafka-go", "github.com/ibm/sarama", "github.com/twmb/franz-go"],
    rust: ["rdkafka"],
  },
  variables: /^KAFKA_(?:BROKERS?|BROKER_URL|BOOTSTRAP_SERVERS?|URL|HOST)$/,
  schemes: ["kafka"],
  images: /^(?:kafka|cp-kafka|redpanda)$/,
  port: 9092,
  definition: {
    name: "kafka",
    image: "apache/kafka:3.9.0",
    port: 9092,
    env: {
      KAFKA_NODE_ID: "1",
      KAFKA_PROCESS_ROLES: "broker,controller",
      KAFKA_LISTENERS: "PLAINTEXT://:9092,CONTROLLER://:9093",
      // Clients are sent there after the first word: the name has to be known where the plugin runs.
      KAFKA_ADVERTISED_LISTENERS: "PLAINTEXT://kafka:9092",
      KAFKA_CONTROLLER_LISTENER_NAMES: "CONTROLLER",
      KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT",
      KAFKA_CONTROLLER_QUORUM_VOTERS: "1@localhost:9093",
      KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: "1",
    },
    timeout: 90,
    url: "{host}:{port}",
  },
  variable: "KAFKA_BROKERS",
});
