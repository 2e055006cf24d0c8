import t from "tap";
import { renderedMarkdown } from "../../../../src/agent_fixtures/report/html/rendered_markdown.ts";

const html = (text: string): string => renderedMarkdown(text).text.replaceAll("\n", "");

t.test("headings, emphasis, code and breaks are rendered", (t) => {
  t.equal(html("# One\n## Two\n##### Five"), "<h4>One</h4><h5>Two</h5><h6>Five</h6>");
  t.equal(
    html("a **b `c`** *d* _e_ ~~f~~ snake_case_name 2*3*4"),
    "<p>a <strong>b <code>c</code></strong> <em>d</em> <em>e</em> <del>f</del> snake_case_name 2*3*4</p>",
  );
  t.equal(html("a  \nb\\\nc\n\nd \\*e\\*"), "<p>a<br>b<br>c</p><p>d *e*</p>");
  t.equal(html("---\n> a\n> > b"), "<hr><blockquote><p>a</p><blockquote><p>b</p></blockquote></blockquote>");
  t.equal(
    html('```json\n{ "a": 1 }\n```'),
    '<pre class="block" tabindex="0">{ <span class="key">&quot;a&quot;</span>: <span class="number">1</span> }</pre>',
  );
  t.equal(html("~~~\n**x**\n```"), '<pre class="block" tabindex="0">**x**```</pre>', "one without an end");
  t.end();
});

t.test("lists are nested by their indentation, and hold paragraphs and code", (t) => {
  t.equal(
    html("- a\n  - b\n    c\n- [x] d\n\n1. e\n\n   f\n2. g\ntext of g"),
    "<ul><li>a<ul><li>bc</li></ul></li><li>☑ d</li></ul>" +
      '<ol start="1"><li>e<p>f</p></li><li>gtext of g</li></ol>',
  );
  t.equal(
    html("3) x\n   ```\n   y\n   ```"),
    '<ol start="3"><li>x<pre class="block" tabindex="0">y</pre></li></ol>',
  );
  t.equal(html("- a\n\n- b\n\nend"), "<ul><li>a</li><li>b</li></ul><p>end</p>");
  t.end();
});

t.test("tables have their columns, and no more", (t) => {
  t.equal(
    html("| a | b |\n|---|:-:|\n| 1 | `2` | 3 |\nend"),
    '<div class="wide"><table><thead><tr><th>a</th><th>b</th></tr></thead>' +
      "<tbody><tr><td>1</td><td><code>2</code></td></tr></tbody></table></div><p>end</p>",
  );
  t.equal(html("a | b\nc"), "<p>a | bc</p>");
  t.end();
});

t.test("links lead to web pages alone, and tell their host", (t) => {
  t.equal(
    html("[docs](https://a.example/x?a=1&b=2)"),
    '<p><a href="https://a.example/x?a=1&amp;b=2" rel="noopener noreferrer">docs</a> <small>(a.example)</small></p>',
  );
  t.match(
    html("see https://a.example/x."),
    '<a href="https://a.example/x" rel="noopener noreferrer">https://a.example/x</a>.',
  );
  t.match(
    html("![tracker](https://a.example/p.png)"),
    /^<p><a [^>]*>tracker<\/a> <small>/,
    "no picture is loaded",
  );
  for (
    const target of [
      "javascript:alert(1)",
      "JaVaScRiPt:alert`1`",
      "data:text/html,x",
      "vbscript:x",
      "file:///etc/passwd",
      "//a.example",
      "\u0001javascript:x",
      "https://",
    ]
  ) t.notMatch(html(`[x](${target})`), /<a/, target);
  t.end();
});

t.test("HTML is text wherever it stands, and no attribute can be left", (t) => {
  const attack = `<script>alert(1)</script><img src=x onerror="alert(2)">"'>`;
  for (
    const text of [
      attack,
      `# ${attack}`,
      `- ${attack}`,
      `> ${attack}`,
      `**${attack}** *${attack}* \`${attack}\``,
      `\`\`\`${attack}\n${attack}\n\`\`\``,
      `\`\`\`json\n{"a": "${attack}"}\n\`\`\``,
      `| ${attack} |\n|---|\n| ${attack} |`,
      `[${attack}](https://a.example/${attack})`,
      `[x](https://a.example/"onmouseover="alert(3))`,
      `https://a.example/"onmouseover=alert(4)`,
      `<!-- ${attack} -->`,
      `[x](https://a.example "${attack}")`,
    ]
  ) {
    const found = renderedMarkdown(text).text;
    t.notMatch(
      found,
      /<(?!\/?(?:h[456]|p|ul|ol|li|pre|code|em|strong|del|a|small|br|hr|blockquote|div|table|thead|tbody|tr|th|td|span)[ >])/,
    );
    t.notMatch(found, /<[a-z]+[^>]*\son\w+=/, text);
  }
  t.end();
});

t.test("hostile texts stay bounded: no deep nesting, no long page", (t) => {
  const length = 8000;
  const marks = [
    ">",
    "> ",
    "[",
    "[a](",
    "*",
    "*a ",
    "**a *b ",
    "_a_",
    "*a_",
    "`",
    "- ",
    "|",
    "|-",
    "![",
    "#",
    "~",
    "~~a",
    "\\",
    "http://",
    "<",
    "\n",
    "a\n",
  ];
  const indented = Array.from({ length: 120 }, (_, at) => `${" ".repeat(at)}- a`).join("\n");
  const ticks = Array.from({ length: 120 }, (_, at) => "`".repeat(at)).join(" ");
  const table = `${"|a".repeat(200)}\n${"|-".repeat(200)}\n${"|x".repeat(3600)}\n`;
  const spaces = `# a${" ".repeat(length)}b\n- ${"x ".repeat(4000)}`;
  for (
    const text of [...marks.map((mark) => mark.repeat(length / mark.length)), indented, ticks, table, spaces]
  ) {
    const found = renderedMarkdown(text).text;
    t.ok(found.length < text.length * 14 + 500, `${text.slice(0, 20)}: ${found.length} of ${text.length}`);
    t.ok((found.match(/<blockquote>|<ul>|<ol /g) ?? []).length < 300);
  }
  t.end();
});
