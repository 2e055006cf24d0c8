/** Rooms that all others stand on: plain functions, statecharts, the host, the port. */
import type { Room } from "./room.ts";

export const foundationRooms: Room[] = [
  {
    folder: "src/core",
    holds: "errors, texts, YAML and JSON, redaction of secrets: plain functions that every part uses",
    imports: [],
  },
  {
    folder: "machines/model",
    holds: "plain value types that machines, adapters and faces share",
    imports: [],
  },
  { folder: "machines", holds: "statecharts: what may happen, in which order", imports: ["machines/model"] },
  {
    folder: "src/platform",
    holds: "the host: files, processes, sockets, terminal",
    imports: ["src/core"],
  },
  {
    folder: "src/api",
    holds: "the port that faces and programs use: the `Harness` interface, its requests and its facts",
    imports: ["src/core"],
    types: ["machines/model"],
  },
  {
    folder: "src/registry",
    holds: "what processes of PTH on one machine know of each other: sessions, locks, viewers",
    imports: ["src/core", "src/platform"],
  },
  {
    folder: "src/git",
    holds: "git on the host: repositories, worktrees, the session branch, its commits",
    imports: ["src/core", "src/platform", "src/registry"],
    types: ["machines/model"],
  },
];
