"""Turns what coverage.py wrote into JSON: runs inside the environment, with the Python that measured."""
import ast
import json
import os
import sys

folder = sys.argv[1]
with open(os.path.join(folder, "python.json")) as file:
    settings = json.load(file)
sys.path.append(settings["library"])
import coverage

where = os.path.join(folder, "python-data")
total = coverage.Coverage(
    data_file=os.path.join(folder, "python-total"), config_file=False, branch=True,
    source=[settings["root"]], omit=settings["omit"], messages=False,
)
total.combine([os.path.join(where, one) for one in os.listdir(where)], keep=True)


def functions(path):
    with open(path, "rb") as file:
        tree = ast.parse(file.read())
    found = []

    def visit(node, names):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
                first = min([child.lineno] + [one.lineno for one in child.decorator_list])
                body = child.body[0]
                if len(child.body) > 1 and isinstance(body, ast.Expr) and isinstance(body.value, ast.Constant):
                    body = child.body[1]
                found.append({
                    "name": ".".join(names + [child.name]), "line": first, "def": child.lineno,
                    "body": body.lineno, "endLine": child.end_lineno,
                })
                visit(child, names + [child.name])
            elif isinstance(child, ast.ClassDef):
                visit(child, names + [child.name])
            else:
                visit(child, names)

    visit(tree, [])
    return found


report_file = os.path.join(folder, "python-report.json")
total.json_report(outfile=report_file, show_contexts=True, ignore_errors=True)
with open(report_file) as file:
    report = json.load(file)

files = []
for path, told in sorted(report["files"].items()):
    path = os.path.abspath(path)
    ways = {}
    for hit, branches in ((1, told.get("executed_branches", [])), (0, told.get("missing_branches", []))):
        for start, _ in branches:
            ways.setdefault(start, []).append(hit)
    files.append({
        "path": path,
        "statements": sorted(told["executed_lines"] + told["missing_lines"]),
        "functions": functions(path),
        "branches": [{"line": line, "hits": hits} for line, hits in sorted(ways.items())],
        "contexts": told.get("contexts", {}),
        "missing": told["missing_lines"],
    })
json.dump({"files": files}, sys.stdout)
