import t from "tap";
import { refusalsDiffer, wasRefused } from "../../../../src/testing/judge/refusals_differ.ts";
import { answered, refused, rpcError, testOf } from "../observed.ts";

const test = testOf({
  input: {},
  expect: { refuses: "missing_required" },
  control: { input: { path: "pth-example.txt" } },
});

/** Refusals of the bad input (without `path`) and of the control, as real servers word them. */
const differing: [string, string][] = [
  [
    "Input validation error: expected string, received undefined at path",
    "ENOENT: no such file or directory",
  ],
  ["Missing parameter: path", "The project does not exist"],
  ["path is required", "Unable to fetch. fetch failed"],
  ["'path' is a required property", "Error: No session working directory set"],
  ["path is required", "a session is required"],
  ["Unrecognized key: path", "Either name or id must be provided"],
];

const alike: [string, string][] = [
  ["fetch failed", "fetch failed"],
  ["Not found: undefined", "Not found: pth-example.txt"],
  ["No file of the path undefined", "ENOENT: no such file"],
  ["a token is required", "a token is required"],
  ["path must be absolute", "path must be absolute"],
  ["invalid input", "invalid input: name"],
  ["the expected path is missing: name is required", "path is required"],
  ["TypeError: path.trim is not a function, which is required", "no such file"],
  ["", ""],
];

t.test("a refusal that names the broken rule or property decides, where the control's does not", (t) => {
  for (const [bad, good] of differing) {
    t.ok(refusalsDiffer(test, refused(bad), refused(good)), `${bad} / ${good}`);
    t.ok(refusalsDiffer(test, rpcError(bad), rpcError(good)), `as JSON-RPC errors: ${bad} / ${good}`);
  }
  for (const [bad, good] of alike) {
    t.notOk(refusalsDiffer(test, refused(bad), refused(good)), `${bad} / ${good}`);
  }
  t.notOk(refusalsDiffer(test, refused("no such file"), refused("path is required")), "the other way round");
  t.end();
});

t.test("an error told as a success is a refusal, too", (t) => {
  t.ok(wasRefused(refused("no"), {}));
  t.ok(wasRefused(answered("Error: no such note"), {}));
  t.notOk(wasRefused(answered("stored"), {}));
  t.end();
});
