import { defineServiceKind } from "../service_kind.ts";

export default defineServiceKind({
  title: "MongoDB",
  libraries: {
    npm: ["mongodb", "mongoose", "monk"],
    python: ["pymongo", "motor", "mongoengine", "beanie"],
    go: ["go.mongodb.org/mongo-driver"],
    rust: ["mongodb"],
  },
  variables: /^(?:MONGO|MONGODB|MDB)_(?:URL|URI|HOST|PORT|CONNECTION_STRING|MCP_CONNECTION_STRING)$/,
  sharedVariables: /^(?:DATABASE|DB)_(?:URL|URI)$/,
  schemes: ["mongodb"],
  images: /^(?:mongo|mongodb|mongodb-community-server)$/,
  port: 27017,
  // No distribution has it any more.
  definition: { name: "mongodb", image: "mongo:7", port: 27017, url: "mongodb://{host}:{port}/test" },
  variable: "MONGODB_URI",
});
