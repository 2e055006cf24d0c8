import t from "tap";
import { describedValues } from "../../../../src/testing/json_schema/described_values.ts";

/** Descriptions, and the values that they name, the likeliest first. */
const table: [description: string, values: string[]][] = [
  ["Unit to convert from, e.g. `km`", ["km"]],
  ["Unit (e.g., 'kg', 'lb')", ["kg", "lb"]],
  ['A chess move, for example "e2e4" or "g1f3".', ["e2e4", "g1f3"]],
  ["Currency code such as EUR or USD", ["EUR"]],
  ["Zone. Example: Europe/Berlin", ["Europe/Berlin"]],
  ["Expression (e.g. 2 * (3 + 4))", ["2 * (3 + 4)"]],
  ["Mode, one of: fast, slow", ["fast"]],
  ["Valid values: 'asc', 'desc'", ["asc", "desc"]],
  ["north | south", ["north"]],
  ["Separator (default: ;)", [";"]],
  ["Style. Defaults to `plain`.", ["plain"]],
  ["Day in the format YYYY-MM-DD", ["2024-01-15"]],
  ["Start, YYYY-MM-DD HH:mm:ss", ["2024-01-15 10:30:00"]],
  ["Time in 24-hour form (HH:MM)", ["10:30"]],
  ["An ISO 8601 timestamp", ["2024-01-15T10:30:00Z"]],
  ["An ISO 8601 duration", ["P1D"]],
  ["Range like e.g. `a.b; c`. And 'more' follows", ["a.b; c"]],
];

/** Descriptions that name no value that may be sent. */
const silent: [description: unknown, why: string][] = [
  ["The name of the user", "prose"],
  ["Whether to validate the number", "the end of a word is no mark"],
  ["e.g. the name of the user", "prose after a mark"],
  ["The default is none", "no value"],
  ["Path, e.g. `/etc/passwd`", "an absolute path"],
  ["Path, e.g. `C:\\Windows`", "an absolute path of Windows"],
  ["Path, e.g. `../other`", "a path that leaves the folder"],
  ["Home, e.g. `~/.ssh/id_rsa`", "a path of the user's"],
  ["Page, e.g. `https://github.com/a/b`", "a real host"],
  ["Host, e.g. `www.google.com`", "a real host without a scheme"],
  ["Recipient, e.g. `ann@company.com`", "a real address"],
  ["Phone, e.g. `+14155552671`", "a real number"],
  ["Address, e.g. `8.8.8.8`", "a real address of the network"],
  ["What runs, e.g. `rm -rf build`", "a command that destroys"],
  [undefined, "no description"],
  [42, "no text"],
];

t.test("examples, choices, defaults and forms of a description are read", (t) => {
  for (const [description, values] of table) t.same(describedValues(description), values, description);
  t.end();
});

t.test("what is prose, or would leave the folder or the machine, is no value", (t) => {
  for (const [description, why] of silent) t.same(describedValues(description), [], why);
  t.end();
});

t.test("a hostile description is read in bounded time, and no value is long", (t) => {
  const texts = ["e.g. ", "`", "'", "(", "one of: | ", "a|", "default ", "e.g. `a` ", "..", "a."];
  for (const text of texts) {
    const begin = performance.now();
    const values = describedValues(text.repeat(200_000));
    t.ok(performance.now() - begin < 1000, `${JSON.stringify(text)} takes less than a second`);
    t.ok(
      values.length <= 5 && values.every((value) => value.length <= 200),
      `${JSON.stringify(text)} is short`,
    );
  }
  t.end();
});
