/** Script of the page: filters, keys, links into it, and printing. The page is complete without it. */
export const reportScript = `
"use strict";
(() => {
  const form = document.getElementById("filters");
  const items = [...document.querySelectorAll(".test")];
  const byId = (id) => document.getElementById(id);
  const openAll = (open, which) => {
    for (const item of which) item.querySelector("details").open = open;
  };

  // A link into the page opens what it names.
  const openTarget = () => {
    const named = location.hash.length > 1 ? byId(decodeURIComponent(location.hash.slice(1))) : null;
    const details = named && named.classList.contains("test") ? named.querySelector("details") : null;
    if (details) details.open = true;
  };
  addEventListener("hashchange", openTarget);
  openTarget();

  // On paper nothing can be opened.
  let printed = [];
  addEventListener("beforeprint", () => {
    printed = [...document.querySelectorAll(".test.failed details:not([open]), .test.flaky details:not([open]), .finding:not([open])")];
    for (const details of printed) details.open = true;
  });
  addEventListener("afterprint", () => {
    for (const details of printed) details.open = false;
  });

  if (!form) return;
  form.hidden = false;
  const search = byId("text");
  const tier = byId("tier");
  const tool = byId("tool");
  const statuses = [...form.querySelectorAll("input[name=status]")];
  const texts = new Map();
  const textOf = (item) => {
    if (!texts.has(item)) texts.set(item, item.textContent.toLowerCase());
    return texts.get(item);
  };
  const apply = () => {
    const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean);
    const wanted = new Set(statuses.filter((box) => box.checked).map((box) => box.value));
    let shown = 0;
    for (const item of items) {
      const { status, tier: itsTier, tools } = item.dataset;
      const fits = wanted.has(status) &&
        (!tier || tier.value === "" || tier.value === itsTier) &&
        (!tool || tool.value === "" || JSON.parse(tools).includes(tool.value)) &&
        words.every((word) => textOf(item).includes(word));
      item.hidden = !fits;
      if (fits) shown++;
    }
    byId("shown").textContent = shown === items.length ? "" : shown + " of " + items.length + " shown";
    byId("no-match").hidden = shown > 0;
  };
  form.addEventListener("input", apply);
  form.addEventListener("submit", (event) => event.preventDefault());
  byId("open-all").addEventListener("click", () => openAll(true, items.filter((item) => !item.hidden)));
  byId("close-all").addEventListener("click", () => openAll(false, items));
  byId("show-all").addEventListener("click", () => {
    form.reset();
    apply();
    search.focus();
  });
  addEventListener("keydown", (event) => {
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      search.focus();
      search.select();
    } else if (event.key === "Escape" && event.target === search) {
      search.value = "";
      apply();
    }
  });
  // A browser keeps typed text when a page is loaded again.
  apply();
})();
`;
