import t from "tap";
import { nodeLineFor, satisfiesNode } from "../../../src/plugin/satisfies_node.ts";

const cases: [range: string, inside: string[], outside: string[]][] = [
  [">=18", ["18.0.0", "20.1.2", "26.0.0"], ["16.20.2", "17.9.9"]],
  [">= 18.17.0", ["18.17.0", "19.0.0"], ["18.16.9"]],
  [">18", ["19.0.0"], ["18.0.0", "18.20.1"]],
  [">20.1.0", ["20.1.1"], ["20.1.0"]],
  ["<21", ["20.9.9"], ["21.0.0"]],
  ["<=20", ["20.19.1"], ["21.0.0"]],
  [">=18 <23", ["18.0.0", "22.9.9"], ["17.0.0", "23.0.0"]],
  ["^20.17.0 || >=22.9.0", ["20.17.0", "20.99.0", "22.9.0", "24.0.0"], ["20.16.0", "21.0.0", "22.8.9"]],
  ["^20", ["20.0.0", "20.19.0"], ["19.9.9", "21.0.0"]],
  ["~20.3.1", ["20.3.1", "20.3.9"], ["20.3.0", "20.4.0"]],
  ["~20", ["20.0.0", "20.9.0"], ["21.0.0"]],
  ["20.x", ["20.0.0", "20.9.9"], ["21.0.0", "19.0.0"]],
  ["20", ["20.5.0"], ["21.0.0"]],
  ["v20.1.0", ["20.1.0"], ["20.1.1"]],
  ["18 - 20", ["18.0.0", "20.19.0"], ["17.0.0", "21.0.0"]],
  ["*", ["0.1.0", "26.0.0"], []],
  ["", ["14.0.0"], []],
  [">=20.0.0-rc.1", ["20.0.0"], ["19.0.0"]],
  ["any of the newer ones", ["14.0.0"], []],
];
for (const [range, inside, outside] of cases) {
  t.test(`the range "${range}" takes the versions that npm takes`, (t) => {
    for (const version of inside) t.ok(satisfiesNode(version, range), version);
    for (const version of outside) t.notOk(satisfiesNode(version, range), version);
    t.end();
  });
}

t.test("a line with long support is chosen where one is in the range, else the range is asked for", (t) => {
  t.equal(nodeLineFor(">=20.19"), "22");
  t.equal(nodeLineFor(">=24"), "24");
  t.equal(nodeLineFor("^20.17.0"), "20");
  t.equal(nodeLineFor("<19"), "18");
  t.equal(nodeLineFor("24.3.x"), "24.3.x");
  t.equal(nodeLineFor("25"), "25");
  t.end();
});
