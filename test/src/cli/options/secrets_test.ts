import t from "tap";
import { askInTerminal } from "../../../../src/cli/options/secrets.ts";

const question = {
  plugin: "greeter",
  missing: [
    { name: "GREETING", secret: false, source: "package.json", description: "The word" },
    { name: "API_KEY", secret: true, source: "server.json" },
  ],
};

t.test("each missing value is asked for in the terminal", async (t) => {
  const asked: string[] = [];
  const { askConfig } = askInTerminal({ askHidden: (text) => Promise.resolve(`${asked.push(text)}`) });
  t.strictSame(await askConfig!(question), { values: { GREETING: "1", API_KEY: "2" } });
  t.strictSame(asked, [
    "greeter needs GREETING (The word; not shown): ",
    "greeter needs API_KEY (server.json; not shown): ",
  ]);
});

t.test("who gives up is not asked on, and without a terminal nobody is asked", async (t) => {
  let times = 0;
  const { askConfig } = askInTerminal({ askHidden: () => Promise.resolve(void times++) });
  t.match(await askConfig!(question), { refused: /no value was given/ });
  t.equal(times, 1);
  t.strictSame(askInTerminal({}), {});
});
