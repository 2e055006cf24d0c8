/** Styles of the pages of agent tests, in addition to those of the page of a run. */
export const fixturePageStyle = `
:root { --partial: var(--flaky); --string: #1a7f4b; --number: #9a4d00; --keyword: #2b5fd9; --comment: #5b6472; }
@media (prefers-color-scheme: dark) {
  :root { --string: #7fd6a8; --number: #e6ad68; --keyword: #82aaff; --comment: #9aa4b2; }
}
h3 { font-size: 1rem; margin: 1.6rem 0 .4rem; }
.top h1 { overflow-wrap: anywhere; }
.top.partial::before { background: var(--partial); }
.top.partial h1 { color: var(--partial); }
.top p { margin: .2rem 0 .6rem; overflow-wrap: anywhere; }
.tags .tool { display: inline-block; max-width: 100%; }
.badge {
  display: inline-block; vertical-align: middle; font-size: .8rem; letter-spacing: .04em; border: 2px solid currentColor; border-radius: 6px; padding: .1rem .5rem;
  white-space: nowrap;
}
.badge.passed, .mark.passed { color: var(--passed); } .badge.failed { color: var(--failed); }
.badge.partial { color: var(--partial); } .badge.skipped { color: var(--skipped); }
.partial > details > summary .mark, li.partial > .mark, .stack .partial { color: var(--partial); fill: var(--partial); }
.body .steps li.passed > .mark { color: var(--passed); }
.fold { border-left: 4px solid var(--line); padding: .35rem .8rem; margin: .4rem 0; background: var(--panel); border-radius: 0 6px 6px 0; }
.fold pre { background: var(--paper); }
main .fold > summary { display: list-item; list-style: disclosure-closed inside; padding: .1rem 0; }
main .fold[open] > summary { list-style-type: disclosure-open; }
.counts .partial b { color: var(--partial); }
#filters .partial { color: var(--partial); }
.partial .why { color: var(--partial); }

.tabs {
  display: flex; gap: .2rem; margin: 1rem 0 0; border-bottom: 1px solid var(--line); overflow: auto hidden;
  position: sticky; top: 0; background: var(--paper); z-index: 1;
}
.tabs a {
  padding: .55rem .9rem; text-decoration: none; color: var(--soft); white-space: nowrap;
  border-bottom: 3px solid transparent; margin-bottom: -1px;
}
.tabs a:hover { color: var(--ink); }
.tabs a[aria-selected=true] { color: var(--ink); font-weight: 600; border-bottom-color: var(--accent); }
.tabs a:focus-visible { outline-offset: -3px; }
.panel { padding-top: .4rem; }
@media screen {
  .tabbed .panel:not(.current) { display: none; }
  .tabbed .panel > h2 { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); margin: 0; }
  .tabbed .panel { padding-top: 1.2rem; }
}

.code { margin: .5rem 0 .8rem; }
.code figcaption { display: flex; gap: .6rem; align-items: center; min-height: 1.9rem; font-size: .82rem; flex-wrap: wrap; }
.code figcaption small { flex: 1 1 8rem; overflow-wrap: anywhere; font-size: .76rem; }
.code pre { margin: 0; max-height: 32rem; overflow: auto; }
.copy { min-height: 1.7rem; padding: .05rem .6rem; font-size: .8rem; }
.copy.done { color: var(--passed); border-color: var(--passed); }
.sides { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(20rem, 100%), 1fr)); gap: 0 1rem; }
.panel > .actions { margin: 0 0 .6rem; }
.actions[hidden], .copy[hidden] { display: none; }
pre .key, pre .variable { color: var(--keyword); } pre .string, pre .code { color: var(--string); }
pre .number, pre .option { color: var(--number); } pre .word { color: var(--keyword); font-weight: 600; }
pre .comment { color: var(--comment); font-style: italic; }
.rendered { border: 1px solid var(--line); border-radius: 6px; padding: .2rem .9rem; max-height: 32rem; overflow: auto; overflow-wrap: anywhere; }
.rendered h4, .rendered h5, .rendered h6 { margin: .9rem 0 .3rem; line-height: 1.3; }
.rendered h4 { font-size: 1.1rem; } .rendered h5 { font-size: 1rem; } .rendered h6 { font-size: .92rem; }
.rendered p, .rendered ul, .rendered ol { margin: .5rem 0; } .rendered ul, .rendered ol { padding-left: 1.4rem; }
.rendered li { margin: .15rem 0; } .rendered hr { border: 0; border-top: 1px solid var(--line); margin: .8rem 0; }
.rendered blockquote { margin: .5rem 0; padding: 0 .8rem; border-left: 3px solid var(--line); color: var(--soft); }
.rendered code { font: .88em var(--mono); background: var(--panel); border-radius: 4px; padding: .05rem .3rem; }
.rendered .block { margin: .5rem 0; max-height: none; } .rendered .wide { overflow-x: auto; }
.rendered table { border-collapse: collapse; margin: .5rem 0; font-size: .92em; }
.rendered th, .rendered td { border: 1px solid var(--line); padding: .2rem .5rem; text-align: left; vertical-align: top; }
.source { margin: .3rem 0; font-size: .82rem; }

.ended ul { margin: .4rem 0; padding-left: 1.1rem; }
.assessment { border: 1px solid var(--accent); border-radius: 8px; padding: .2rem 1rem .6rem; margin: 1rem 0; }
.assessment h3 { margin-top: .6rem; color: var(--accent); }
.assessment .rendered { border: 0; padding: 0; max-height: none; }
.editors { white-space: nowrap; font-size: .8rem; } .editors a { margin-right: .3rem; }
.facts .path { font-size: .8rem; }
.hooks { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: .3rem; margin: .2rem 0; }
.hooks li { font-size: .8rem; background: var(--panel); border-radius: 4px; padding: .05rem .45rem; overflow-wrap: anywhere; }
.hooks .failed { color: var(--failed); }
.timeline .seq { color: var(--soft); font-size: .8rem; text-align: right; font-variant-numeric: tabular-nums; }
.timeline .test summary { grid-template-columns: 2rem minmax(0, 1fr) auto auto auto; }
.timeline .name b { font-family: var(--mono); font-size: .85rem; margin-right: .3rem; }
.timeline .prompt .name b, .timeline .response .name b { font-family: inherit; font-size: inherit; }
.timeline .lane { padding-left: 1.6rem; border-left: 3px solid var(--line); }
.timeline .why { white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.tests li:target { box-shadow: inset 4px 0 var(--accent); }
h3.fixture { display: flex; flex-wrap: wrap; gap: .2rem .7rem; align-items: baseline; }
.trend { width: 100%; height: 90px; display: block; }
.trend .passed { fill: var(--passed); } .trend .failed { fill: var(--failed); }
.trend .partial { fill: var(--partial); } .trend .skipped { fill: var(--skipped); opacity: .45; }
.history { letter-spacing: .12em; font-size: .8rem; white-space: nowrap; grid-column: 3; justify-self: end; }
.history .passed { color: var(--passed); } .history .failed { color: var(--failed); }
.history .partial { color: var(--partial); } .history .skipped { color: var(--skipped); }
.keys { color: var(--soft); font-size: .8rem; margin-top: 2rem; }
kbd { font: .75rem var(--mono); border: 1px solid var(--line); border-radius: 4px; padding: 0 .3rem; background: var(--panel); }

@media (max-width: 640px) {
  .tabs { gap: 0; justify-content: space-between; }
  .tabs a { padding: .55rem .25rem; font-size: .88rem; }
  .timeline .test summary { grid-template-columns: 1.6rem minmax(0, 1fr) auto; }
  .timeline .lane { padding-left: .5rem; }
  .history { grid-column: 2; justify-self: start; }
}
@media print {
  .tabs, .actions, .copy, .keys, .editors { display: none !important; }
  .code pre, .rendered { max-height: none; overflow: visible; }
  .source:not([open]) { display: none; }
  .panel { break-before: auto; }
  .top.partial, .badge { print-color-adjust: exact; }
}
`;
