import t from "tap";
import { endMark, startMark, updateReadme } from "../../../src/export/docs/update_readme.ts";

const section = (level: number) => `${"#".repeat(level)} \`add\`\n\nAdds.`;
const update = (text: string) => updateReadme(text, section).text;

t.test("a README without tools gets a section at its end, and the second time nothing changes", (t) => {
  const once = update("# Plugin\n\nWords.\n");
  t.equal(once, `# Plugin\n\nWords.\n\n## Tools\n\n${startMark}\n\n### \`add\`\n\nAdds.\n\n${endMark}\n`);
  t.equal(update(once), once);
  t.end();
});

t.test("what stands under a heading on tools is replaced, up to the next heading of its level", (t) => {
  const old = "# P\n\n## Available tools\n\n### `old`\n\ntext\n\n## License\n\nMIT\n";
  const { text, documented } = updateReadme(old, section);
  t.match(text, /^# P\n\n## Available tools\n\n<!-- pth:tools -->/);
  t.match(text, /<!-- \/pth:tools -->\n\n## License\n\nMIT\n$/);
  t.notMatch(text, "`old`");
  t.same(documented, ["old"]);
  t.end();
});

t.test("between marks only, whatever stands around them", (t) => {
  const old = `# P\n\n#### Deep\n\nmine\n\n${startMark}\nold\n${endMark}\n\nmine too\n`;
  const text = update(old);
  t.match(text, /mine\n\n<!-- pth:tools -->\n\n##### `add`/);
  t.match(text, /mine too\n$/);
  t.notMatch(text, "\nold\n");
  t.end();
});

t.test("a heading within a code block is none", (t) => {
  const old = "# P\n\n```sh\n# Tools\n```\n";
  t.ok(update(old).startsWith(old));
  t.end();
});

t.test("line ends stay as they are, and an empty README is fine", (t) => {
  const text = update("# P\r\n\r\n## Tools\r\n\r\nx\r\n");
  t.notMatch(text, /(?<!\r)\n/);
  t.equal(update(update("")), update(""));
  t.end();
});
