import * as z from "zod";
import { manifestFile } from "../../hooks/read_hooks.ts";
import { defineDefinitionRule, type FoundDefinition } from "../definition_rule.ts";
import { schemaFindings } from "../schema_findings.ts";

const text = z.string();
const texts = z.array(text);
const paths = z.union([text, texts, z.record(text, z.unknown())], {
  error: "expected a path, or a list of paths",
});
const parts = z.union([text, z.array(z.unknown()), z.record(text, z.unknown())], {
  error: "expected a path, a list, or the definitions themselves",
});
const map = z.record(text, z.unknown());
const any = z.unknown().optional();

/** plugin.json of Claude Code 2.1.330. */
const manifestSchema = z.strictObject({
  $schema: text.optional(),
  name: text.regex(/^[A-Za-z0-9][\w.-]*$/, "expected a name of letters, digits, -, _ and ., without spaces"),
  displayName: text.optional(),
  version: text.optional(),
  description: text.optional(),
  author: z.object({ name: text, email: text.optional(), url: text.optional() }).optional(),
  homepage: z.url().optional(),
  repository: text.optional(),
  license: text.optional(),
  icon: text.optional(),
  keywords: texts.optional(),
  commands: paths.optional(),
  agents: paths.optional(),
  skills: paths.optional(),
  hooks: parts.optional(),
  mcpServers: parts.optional(),
  lspServers: parts.optional(),
  outputStyles: paths.optional(),
  themes: paths.optional(),
  workflows: paths.optional(),
  monitors: any,
  channels: any,
  evals: any,
  settings: map.optional(),
  userConfig: map.optional(),
  dependencies: any,
  engines: map.optional(),
  network: map.optional(),
  experimental: map.optional(),
  metadata: map.optional(),
  defaultEnabled: z.boolean().optional(),
});

/** https://semver.org, number 2, as its page gives it. */
const version = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-[\w.-]+)?(?:\+[\w.-]+)?$/;

export default defineDefinitionRule({
  code: "manifest",
  summary: "`plugin.json` that Claude Code refuses, keys that it ignores, and what a listing lacks.",
  check({ manifest, marketplace, problems }) {
    if (manifest === undefined) {
      if (marketplace !== undefined || problems.some(({ file }) => file === manifestFile)) return [];
      return [{
        severity: "warning",
        file: manifestFile,
        line: 1,
        column: 1,
        message: "there is no plugin.json: the plugin has the name of its folder, and no version",
        next: 'Add it, with "name", "version" and "description"',
      }];
    }
    const found = schemaFindings(
      manifest,
      manifestSchema,
      "Correct it: Claude Code does not load the plugin",
    );
    const { value, document, file } = manifest;
    const warn = (key: string, message: string, next: string): FoundDefinition => ({
      severity: "warning",
      file,
      ...document.place([key]),
      message,
      next,
    });
    if (value.description === undefined) {
      found.push(
        warn(
          "name",
          "the plugin has no description",
          'Add "description": one sentence for people who choose plugins',
        ),
      );
    }
    if (value.version === undefined) {
      found.push(
        warn("name", "the plugin has no version", 'Add "version", such as "1.0.0": updates are known by it'),
      );
    } else if (typeof value.version === "string" && !version.test(value.version)) {
      found.push(
        warn("version", `"${value.version}" is no semantic version`, 'Write three numbers, such as "1.0.0"'),
      );
    }
    if (typeof value.name === "string" && /^[\w.-]+$/.test(value.name) && /[A-Z_.]/.test(value.name)) {
      found.push(
        warn(
          "name",
          `"${value.name}" is not in kebab-case, as names of plugins are`,
          "Write small letters, digits and -",
        ),
      );
    }
    return found;
  },
});
