/** The look of the page: light and dark by the reader's system, one column on a phone, plain on paper. */
export const reportStyle = `
:root {
  color-scheme: light dark;
  --paper: #fff; --ink: #1d2129; --soft: #5b6472; --line: #e2e5ea; --panel: #f6f7f9;
  --passed: #1a7f4b; --failed: #c62838; --flaky: #9a6700; --skipped: #6b7480; --accent: #2b5fd9;
  --added: #dcf3e4; --removed: #fde3e5;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14171c; --ink: #e4e7ec; --soft: #9aa4b2; --line: #2b313a; --panel: #1c2027;
    --passed: #4cc38a; --failed: #ff7b86; --flaky: #e0af3f; --skipped: #8b95a3; --accent: #82aaff;
    --added: #173424; --removed: #43191f;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
}
main, .top, body > footer { max-width: 72rem; margin: 0 auto; padding: 0 1.25rem; }
h1 { font-size: clamp(1.5rem, 5vw, 2.1rem); line-height: 1.2; margin: .1rem 0 .9rem; letter-spacing: -.01em; }
h2 { font-size: 1.15rem; margin: 2.4rem 0 .7rem; }
h4 { font-size: .8rem; margin: .9rem 0 .25rem; color: var(--soft); font-weight: 600; }
small { color: var(--soft); font-weight: 400; }
h2 small { font-size: .85rem; margin-left: .4rem; }
pre, code { font-family: var(--mono); font-size: .83rem; }
pre {
  margin: .25rem 0; padding: .6rem .75rem; background: var(--panel); border-radius: 6px; overflow-x: auto;
  white-space: pre-wrap; overflow-wrap: anywhere;
}
code { overflow-wrap: anywhere; }
a { color: var(--accent); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px; }

.top { padding-top: 1.6rem; }
.top::before { content: ""; display: block; position: absolute; inset: 0 0 auto; height: 5px; background: var(--skipped); }
.top.passed::before { background: var(--passed); }
.top.failed::before, .top.broken::before, .top.cancelled::before { background: var(--failed); }
.top.failed h1, .top.broken h1, .top.cancelled h1 { color: var(--failed); }
.top.passed h1 { color: var(--passed); }
.plugin { margin: 0; font-weight: 600; color: var(--soft); overflow-wrap: anywhere; }
.ended { border-left: 4px solid var(--failed); padding: .1rem .9rem; margin: 0 0 1rem; overflow-wrap: anywhere; }
.stack { display: block; width: 100%; height: 10px; border-radius: 5px; background: var(--line); }
.stack .passed { fill: var(--passed); } .stack .failed { fill: var(--failed); }
.stack .flaky { fill: var(--flaky); } .stack .skipped { fill: var(--skipped); opacity: .45; }
.counts { display: flex; flex-wrap: wrap; gap: .2rem 1.4rem; list-style: none; padding: 0; margin: .6rem 0 1.2rem; }
.counts b { font-size: 1.1rem; }
.counts .failed b { color: var(--failed); } .counts .flaky b { color: var(--flaky); }
.counts .passed b { color: var(--passed); } .counts .skipped b { color: var(--skipped); }
.facts {
  display: grid; grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)); gap: .7rem 1.5rem; margin: 0;
  padding: 1rem; background: var(--panel); border-radius: 8px;
}
.facts dt { font-size: .75rem; color: var(--soft); }
.facts dd { margin: 0; overflow-wrap: anywhere; font-size: .92rem; }
.facts dd small { display: block; }
nav ul { display: flex; flex-wrap: wrap; gap: .2rem 1.1rem; list-style: none; padding: 0; margin: 1rem 0 0; }

#filters {
  position: sticky; top: 0; z-index: 1; display: flex; flex-wrap: wrap; gap: .5rem .9rem; align-items: end;
  padding: .6rem 0; background: var(--paper); border-bottom: 1px solid var(--line);
}
#filters[hidden] { display: none; }
#filters label > span, #filters legend { display: block; font-size: .72rem; color: var(--soft); padding: 0; }
#filters .search { flex: 1 1 14rem; }
#filters fieldset { border: 0; margin: 0; padding: 0; display: block; }
#filters fieldset label { display: inline-flex; gap: .3rem; align-items: center; margin-right: .7rem; min-height: 2rem; }
#filters .failed { color: var(--failed); } #filters .flaky { color: var(--flaky); }
#filters .passed { color: var(--passed); } #filters .skipped { color: var(--skipped); }
input[type=search], select, button {
  font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--line); border-radius: 6px;
  padding: .25rem .55rem; min-height: 2rem; max-width: 100%;
}
input[type=search] { width: 100%; }
input[type=checkbox] { accent-color: currentColor; margin: 0; }
select { max-width: 14rem; }
button { cursor: pointer; background: var(--panel); }
button:hover { border-color: var(--soft); }
.actions { margin: 0; }
#shown { color: var(--soft); font-size: .85rem; margin-left: .4rem; }

.tests, .steps { list-style: none; padding: 0; margin: 0; }
.test { border-bottom: 1px solid var(--line); content-visibility: auto; contain-intrinsic-size: auto 2.4rem; }
.test[hidden] { display: none; }
summary { cursor: pointer; }
.test summary {
  display: grid; grid-template-columns: 1.4rem minmax(0, 1fr) auto auto auto; gap: 0 .7rem; align-items: baseline;
  padding: .42rem .3rem; list-style: none;
}
.test summary::-webkit-details-marker { display: none; }
.test summary:hover { background: var(--panel); }
.mark { font-weight: 700; text-align: center; }
.failed > details .mark, li.failed > .mark { color: var(--failed); }
.flaky > details .mark { color: var(--flaky); }
.passed > details .mark, li.passed > .mark { color: var(--passed); }
.skipped > details .mark, li.not_run > .mark { color: var(--skipped); }
.name { overflow-wrap: anywhere; }
.failed > details .name { font-weight: 600; }
.tool, .tier {
  font-size: .76rem; color: var(--soft); background: var(--panel); border-radius: 4px; padding: .05rem .4rem;
  overflow-wrap: anywhere; max-width: 16rem; justify-self: end;
}
summary:hover .tool, summary:hover .tier { background: var(--paper); }
.time { grid-column: 5; grid-row: 1; font-size: .8rem; color: var(--soft); text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; min-width: 3.6rem; }
.why { grid-column: 2 / -1; font-size: .85rem; color: var(--soft); overflow-wrap: anywhere; }
.failed .why { color: var(--failed); }
details[open] > summary > .why { display: none; }
.body { padding: .2rem .5rem 1rem 2.4rem; max-width: 62rem; }
.message { border-left: 3px solid var(--failed); }
.compare { margin: .4rem 0; }
.compare dt { font-size: .8rem; color: var(--soft); font-weight: 600; }
.compare dd { margin: 0 0 .4rem; }
pre.expected { background: var(--added); } pre.actual { background: var(--removed); }
ins, del { text-decoration: none; border-radius: 3px; }
.legend ins, .diff ins { background: var(--removed); } .legend del, .diff del { background: var(--added); }
.legend { font: .78rem var(--mono); margin: .6rem 0 .2rem; } .legend ins, .legend del { padding: .1rem .35rem; }
.diff ins, .diff del { display: block; }
.note { color: var(--soft); overflow-wrap: anywhere; }
.origin { font-size: .8rem; color: var(--soft); overflow-wrap: anywhere; margin: .8rem 0 0; }
.steps li { padding: .12rem 0; overflow-wrap: anywhere; }
.steps .mark { display: inline-block; width: 1.2rem; }
.steps .failed { color: var(--failed); } .steps .not_run { color: var(--skipped); }

.finding { border-left: 4px solid var(--skipped); padding: .35rem .8rem; margin: .4rem 0; background: var(--panel); border-radius: 0 6px 6px 0; }
.finding.error { border-color: var(--failed); } .finding.warning { border-color: var(--flaky); }
.finding .severity { font-size: .78rem; color: var(--soft); margin-right: .2rem; }
.finding ul { padding-left: 1.1rem; margin: .4rem 0; }
.finding li { overflow-wrap: anywhere; margin: .15rem 0; }
.finding .tool { background: var(--paper); }

.bar { display: inline-block; width: 100%; height: 8px; border-radius: 4px; vertical-align: middle; }
.bar .rail { fill: var(--line); }
.bar.good .fill { fill: var(--passed); } .bar.fair .fill { fill: var(--flaky); }
.bar.bad .fill { fill: var(--failed); } .bar.plain .fill { fill: var(--accent); }
.totals { list-style: none; padding: 0; display: grid; grid-template-columns: repeat(auto-fit, minmax(10rem, 1fr)); gap: .6rem 1.6rem; }
.totals b { font-size: 1.3rem; }
div.file, .file > summary {
  display: grid; grid-template-columns: minmax(0, 1fr) minmax(4rem, 10rem) 5rem; gap: .9rem; align-items: center;
  padding: .3rem; border-bottom: 1px solid var(--line);
}
#impact .file > summary { grid-template-columns: minmax(0, 1fr) 6rem; }
.file > summary { list-style: none; }
.file > summary::-webkit-details-marker { display: none; }
.file > summary .path::before { content: "▸ "; color: var(--soft); }
.file[open] > summary .path::before { content: "▾ "; }
.path { font-family: var(--mono); font-size: .83rem; overflow-wrap: anywhere; }
#slowest .path { font-family: inherit; font-size: .92rem; }
.share { text-align: right; font-variant-numeric: tabular-nums; }
.missed { margin: .4rem 0 .9rem 1.2rem; }
.missed dt { font-size: .78rem; color: var(--soft); }
.missed dd { margin: 0 0 .35rem; font-family: var(--mono); font-size: .83rem; overflow-wrap: anywhere; }
.notes { color: var(--soft); font-size: .85rem; padding-left: 1.1rem; overflow-wrap: anywhere; }
.outliers { padding: .5rem .9rem .5rem 1.9rem; background: var(--removed); border-radius: 6px; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; font-size: .88rem; }
th, td { padding: .35rem .6rem; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap; }
th:first-child { text-align: left; font-weight: 600; white-space: normal; overflow-wrap: anywhere; min-width: 7rem; }
thead th { font-size: .75rem; color: var(--soft); font-weight: 600; }
.wide .bar { min-width: 6rem; }
.outlier th { color: var(--failed); }
body > footer { margin-top: 3rem; padding-bottom: 2rem; color: var(--soft); font-size: .82rem; }

@media (max-width: 640px) {
  .test summary { grid-template-columns: 1.2rem minmax(0, 1fr) auto; }
  .time { grid-column: 3; min-width: 0; }
  .test .tool, .test .tier { grid-column: 2; justify-self: start; }
  .body { padding-left: .3rem; }
  #filters { position: static; }
  div.file, .file > summary { grid-template-columns: minmax(0, 1fr) 3.5rem; gap: .2rem .6rem; }
  .file .bar { grid-column: 1 / -1; grid-row: 2; }
}
@media (prefers-reduced-motion: no-preference) { html { scroll-behavior: smooth; } }
@media print {
  body { font-size: 10pt; }
  #filters, nav, #no-match { display: none !important; }
  .test { content-visibility: visible; break-inside: avoid; }
  pre { white-space: pre-wrap; }
  .bar, .stack { print-color-adjust: exact; }
}
`;
