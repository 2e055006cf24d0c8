import t from "tap";
import { persistableRequest } from "../../../src/session/persistable_request.ts";

t.test("of fixtures git gets what any machine can make: no paths of this one, no value that looks secret", (t) => {
  const { environment, leftOut } = persistableRequest({ target: "/media/disk/plugin" }, {
    fixtures: {
      files: [{ path: "/etc/a", content: "x=${env:KEY}" }, { path: "/srv/b", from: "/media/disk/b" }],
      setupScripts: ["true", { script: "/media/disk/setup.sh" }],
      services: [{
        name: "db",
        image: "postgres:16",
        env: { POSTGRES_PASSWORD: "hunter2", POSTGRES_USER: "app", API_KEY: "${env:API_KEY}" },
      }],
    },
  });
  t.strictSame(environment?.fixtures, {
    files: [{ path: "/etc/a", content: "x=${env:KEY}" }],
    setupScripts: ["true"],
    services: [{
      name: "db",
      image: "postgres:16",
      env: { POSTGRES_USER: "app", API_KEY: "${env:API_KEY}" },
    }],
  });
  t.match(leftOut, [/copied to \/srv\/b/, /setup script setup\.sh/, /POSTGRES_PASSWORD of the service db/]);
  t.notMatch(JSON.stringify({ environment, leftOut }), /hunter2|media\/disk/);
  t.end();
});
