/** Script of the pages of agent tests: tabs, copying, opening all, keys, and printing. The pages are complete without it. */
export const fixturePageScript = `
"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const tabs = [...document.querySelectorAll(".tabs a")];
  const panelOf = (tab) => byId(tab.getAttribute("href").slice(1));

  const show = (tab, focus) => {
    for (const each of tabs) {
      const chosen = each === tab;
      each.setAttribute("aria-selected", String(chosen));
      each.tabIndex = chosen ? 0 : -1;
      panelOf(each).classList.toggle("current", chosen);
    }
    if (focus) tab.focus();
  };
  // A link into the page opens what it names, and the tab that holds it.
  const openTarget = () => {
    const named = location.hash.length > 1 ? byId(decodeURIComponent(location.hash.slice(1))) : null;
    if (!named) return false;
    const panel = named.closest(".panel");
    const tab = tabs.find((each) => panelOf(each) === panel);
    if (tab) show(tab, false);
    for (let at = named; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
    const details = named.classList.contains("test") ? named.querySelector("details") : null;
    if (details) details.open = true;
    if (named !== panel) named.scrollIntoView({ block: "center" });
    return true;
  };
  if (tabs.length > 0) {
    const list = document.querySelector(".tabs");
    list.setAttribute("role", "tablist");
    for (const tab of tabs) {
      tab.setAttribute("role", "tab");
      tab.setAttribute("aria-controls", panelOf(tab).id);
      panelOf(tab).setAttribute("role", "tabpanel");
      tab.addEventListener("click", (event) => {
        event.preventDefault();
        history.replaceState(null, "", tab.getAttribute("href"));
        show(tab, true);
      });
    }
    document.body.classList.add("tabbed");
    show(tabs[0], false);
    list.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      const at = tabs.indexOf(document.activeElement);
      if (step === undefined || at < 0) return;
      event.preventDefault();
      tabs[(at + step + tabs.length) % tabs.length].click();
    });
  }
  addEventListener("hashchange", openTarget);
  openTarget();

  // The part of a report that a copied text comes from, as its language has remarks; JSON has none.
  const withSource = (text, { language, source }) => {
    const line = "from " + source.replaceAll("-->", "");
    if (language === "json") return text;
    if (language === "shell") return text.startsWith("#!") ? text.replace("\\n", "\\n# " + line + "\\n") : "# " + line + "\\n" + text;
    return language === "markdown" ? "<!-- " + line + " -->\\n" + text : "[" + line + "]\\n" + text;
  };
  const copy = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      // Not everywhere may a page write to the clipboard by that way.
      const area = document.createElement("textarea");
      area.value = text;
      document.body.append(area);
      area.select();
      const done = document.execCommand("copy");
      area.remove();
      return done;
    }
  };
  for (const button of document.querySelectorAll(".copy")) button.hidden = false;
  document.addEventListener("click", async (event) => {
    const button = event.target.closest ? event.target.closest(".copy") : null;
    if (!button) return;
    const text = button.closest("figure").querySelector("pre:not(.block)").textContent + "\\n";
    const done = await copy(withSource(text, button.dataset));
    button.textContent = done ? "Copied" : "Select and copy";
    button.classList.toggle("done", done);
    setTimeout(() => {
      button.textContent = "Copy";
      button.classList.remove("done");
    }, 2000);
  });

  const openAll = (open, place) => {
    for (const details of place.querySelectorAll(".test > details")) details.open = open;
  };
  for (const actions of document.querySelectorAll(".panel > .actions")) {
    actions.hidden = false;
    actions.querySelector(".open-all").addEventListener("click", () => openAll(true, actions.parentElement));
    actions.querySelector(".close-all").addEventListener("click", () => openAll(false, actions.parentElement));
  }

  addEventListener("keydown", (event) => {
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    const tab = tabs[Number(event.key) - 1];
    if (tab) tab.click();
    else if (event.key === "j" || event.key === "k") {
      const all = [...document.querySelectorAll("summary")].filter((each) => each.checkVisibility());
      const at = all.indexOf(document.activeElement);
      const next = all[event.key === "j" ? at + 1 : at < 0 ? all.length - 1 : at - 1];
      if (next) next.focus();
    }
  });

  // On paper nothing can be opened: what has failed is printed open.
  let printed = [];
  addEventListener("beforeprint", () => {
    printed = [...document.querySelectorAll(".failed > details:not([open]), .partial > details:not([open])")];
    for (const details of printed) details.open = true;
  });
  addEventListener("afterprint", () => {
    for (const details of printed) details.open = false;
  });
})();
`;
