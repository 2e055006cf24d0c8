/** Whether input that a tool's schema forbids reaches the handler as it is, so that the handler's own words answer it. */
import { passesOn } from "./dispatch.ts";
import type { FoundHandler } from "./handlers.ts";
import type { SourceIndex, SourceTree } from "./source_index.ts";
import { descendants, namedChild, namedChildren, plainString } from "./syntax.ts";

/** Modules that check no input: whatever else is imported may. */
const plainModules = {
  javascript:
    /^(?:\.{1,2}\/.*|node:.*|fs|fs\/promises|path|os|url|util|crypto|readline|events|process|@modelcontextprotocol\/sdk\/(?:server\/(?:index|stdio)|types)\.js)$/,
  python:
    /^(?:\..*|__future__|abc|argparse|asyncio|base64|collections|contextlib|csv|dataclasses|datetime|decimal|enum|functools|hashlib|io|itertools|json|logging|math|os|pathlib|random|re|secrets|shutil|signal|sqlite3|statistics|string|subprocess|sys|tempfile|textwrap|threading|time|traceback|typing|urllib|uuid|zipfile)(?:\..*)?$/,
};

const known = new WeakMap<SourceIndex, boolean>();

export function takesUnchecked({ registration, language }: FoundHandler, index: SourceIndex): boolean {
  if (language === "rust" || language === "go") return false;
  const isDispatched = registration.table === true ? passesOn(index) : registration.takes === "dispatch";
  if (!isDispatched) return false;
  const checks = known.get(index) ?? index.trees.some(mayCheck);
  known.set(index, checks);
  return !checks;
}

/** A file that imports more than it needs to speak, or that looks at the schemas which it lists. */
function mayCheck(tree: SourceTree): boolean {
  if (tree.language === "rust" || tree.language === "go") return false;
  if (/\.inputSchema\b|(?:\[|get\()\s*["']inputSchema["']/.test(tree.root.text)) return true;
  const allowed = tree.language === "python" ? plainModules.python : plainModules.javascript;
  return modulesOf(tree).some((module) => !allowed.test(module) && !isOwn(module, tree));
}

/** `from unit_converter.server import main` inside `unit_converter`. */
const isOwn = (module: string, { path, language }: SourceTree): boolean =>
  language === "python" && path.split("/").slice(0, -1).includes(module.split(".")[0]!);

function modulesOf({ root, language }: SourceTree): string[] {
  return [...descendants(root)].flatMap((node) => {
    if (language === "python") {
      if (node.type === "import_from_statement") return namedChild(node, "module_name")?.text ?? [];
      return node.type === "import_statement"
        ? namedChildren(node).map(({ text }) => text.split(/\s+as\s+/)[0]!)
        : [];
    }
    const called = node.type === "call_expression" &&
      /^(?:require|import)$/.test(namedChild(node, "function")?.text ?? "");
    return plainString(
      namedChild(node, "source") ?? (called ? namedChildren(namedChild(node, "arguments"))[0] : undefined),
    ) ??
      [];
  });
}
