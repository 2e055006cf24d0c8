// Finds the functions of a script, for the tracer of Node beside this file.

/** Functions with a body of statements, or of one expression, by the names that people call them by. */
export function functionsIn(acorn, source) {
  let tree;
  for (const sourceType of ["module", "script"]) {
    try {
      tree = acorn.parse(source, {
        ecmaVersion: "latest",
        sourceType,
        locations: true,
        allowReturnOutsideFunction: true,
        allowHashBang: true,
        allowAwaitOutsideFunction: true,
      });
      break;
    } catch {
      // It is the other kind, or not JavaScript.
    }
  }
  const found = [];
  const visit = (node, name, scope) => {
    if (node === null || typeof node !== "object") return;
    if (Array.isArray(node)) {
      for (const one of node) visit(one, undefined, scope);
      return;
    }
    if (typeof node.type !== "string") return;
    let inner = scope;
    if (node.type === "ClassDeclaration" || node.type === "ClassExpression") {
      inner = [...scope, node.id?.name ?? name ?? "class"];
    } else if (/Function/.test(node.type)) {
      const own = node.id?.name ?? name;
      if (own !== undefined) {
        inner = [...scope, own];
        found.push({
          name: inner.join("."),
          start: node.body.loc.start,
          // A function of one expression returns behind it.
          end: { ...node.body.loc.end, column: node.body.loc.end.column + (node.expression ? 1 : 0) },
          isAsync: node.async || node.generator,
          parameters: node.params.flatMap(boundNames).slice(0, 12),
        });
      }
    }
    for (const [key, value] of Object.entries(node)) {
      if (key === "loc") continue;
      visit(value, nameFor(node, key), inner);
    }
  };
  if (tree !== undefined) visit(tree, undefined, []);
  return found;
}

function nameFor(node, key) {
  if (node.type === "VariableDeclarator" && key === "init") return node.id.name;
  if (node.type === "AssignmentExpression" && key === "right") {
    return node.left.property?.name ?? node.left.name;
  }
  if (node.type === "ExportDefaultDeclaration") return "default";
  if (/^(MethodDefinition|PropertyDefinition|Property)$/.test(node.type) && key === "value") {
    if (node.computed && node.key.type !== "Literal") return undefined;
    return node.key.type === "PrivateIdentifier"
      ? `#${node.key.name}`
      : node.key.name ?? String(node.key.value);
  }
  return undefined;
}

function boundNames(pattern) {
  switch (pattern?.type) {
    case "Identifier":
      return [pattern.name];
    case "AssignmentPattern":
      return boundNames(pattern.left);
    case "RestElement":
      return boundNames(pattern.argument);
    case "ObjectPattern":
      return pattern.properties.flatMap((property) => boundNames(property.value ?? property));
    case "ArrayPattern":
      return pattern.elements.flatMap(boundNames);
    default:
      return [];
  }
}
