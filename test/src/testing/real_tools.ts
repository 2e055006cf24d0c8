/** Tools of two published servers as their `tools/list` gave them, without descriptions. */
import type { ToolDefinition } from "../../../machines/model/plugin.ts";

export const everythingTools: ToolDefinition[] = [
  {
    "name": "echo",
    "inputSchema": {
      "$schema": "http://json-schema.org/draft-07/schema#",
      "type": "object",
      "properties": {
        "message": {
          "type": "string",
        },
      },
      "required": [
        "message",
      ],
    },
    "annotations": {
      "readOnlyHint": true,
      "destructiveHint": false,
      "idempotentHint": true,
      "openWorldHint": false,
    },
  },
  {
    "name": "get-annotated-message",
    "inputSchema": {
      "$schema": "http://json-schema.org/draft-07/schema#",
      "type": "object",
      "properties": {
        "messageType": {
          "type": "string",
          "enum": [
            "error",
            "success",
            "debug",
          ],
        },
        "includeImage": {
          "default": false,
          "type": "boolean",
        },
      },
      "required": [
        "messageType",
      ],
    },
    "annotations": {
      "readOnlyHint": true,
      "destructiveHint": false,
      "idempotentHint": true,
      "openWorldHint": false,
    },
  },
  {
    "name": "get-env",
    "inputSchema": {
      "$schema": "http://json-schema.org/draft-07/schema#",
      "type": "object",
      "properties": {},
    },
    "annotations": {
      "readOnlyHint": true,
      "destructiveHint": false,
      "idempotentHint": true,
      "openWorldHint": false,
    },
  },
  {
    "name": "get-resource-links",
    "inputSchema": {
      "$schema": "http://json-schema.org/draft-07/schema#",
      "type": "object",
      "properties": {
        "count": {
          "default": 3,
          "type": "number",
          "minimum": 1,
          "maximum": 10,
        },
      },
    },
    "annotations": {
      "readOnlyHint": true,
      "destructiveHint": false,
      "idempotentHint": true,
      "openWorldHint": false,
    },
  },
  {
    "name": "get-resource-reference",
    "inputSchema": {
      "$schema": "http://json-schema.org/draft-07/schema#",
      "type": "object",
      "properties": {
        "resourceType": {
          "default": "Text",
          "type": "string",
          "enum": [
            "Text",
            "Blob",
          ],
        },
        "resourceId": {
          "default": 1,
          "type": "number",
        },
      },
    },
    "annotations": {
      "readOnlyHint": true,
      "destructiveHint": false,
      "idempotentHint": true,
      "openWorldHint": false,
    },
  },
  {
    "name": "get-structured-content",
    "inputSchema": {
      "$schema": "http://json-schema.org/draft-07/schema#",
      "type": "object",
      "properties": {
        "location": {
          "type": "string",
          "enum": [
            "New York",
            "Chicago",
            "Los Angeles",
          ],
        },
      },
      "required": [
        "location",
      ],
    },
    "annotations": {
      "readOnlyHint": true,
      "destructiveHint": false,
      "idempotentHint": true,
      "openWorldHint": false,
    },
  },
  {
    "name": "get-sum",
    "inputSchema": {
      "$schema": "http://json-schema.org/draft-07/schema#",
      "type": "object",
      "properties": {
        "a": {
          "type": "number",
        },
        "b": {
          "type": "number",
        },
      },
      "required": [
        "a",
        "b",
      ],
    },
    "annotations": {
      "readOnlyHint": true,
      "destructiveHint": false,
      "idempotentHint": true,
      "openWorldHint": false,
    },
  },
  {
    "name": "get-tiny-image",
    "inputSchema": {
      "$schema": "http://json-schema.org/draft-07/schema#",
      "type": "object",
      "properties": {},
    },
    "annotations": {
      "readOnlyHint": true,
      "destructiveHint": false,
      "idempotentHint": true,
      "openWorldHint": false,
    },
  },
  {
    "name": "gzip-file-as-resource",
    "inputSchema": {
      "$schema": "http://json-schema.org/draft-07/schema#",
      "type": "object",
      "properties": {
        "name": {
          "default": "README.md.gz",
          "type": "string",
        },
        "data": {
          "default":
            "https://raw.githubusercontent.com/modelcontextprotocol/servers/refs/heads/main/README.md",
          "type": "string",
          "format": "uri",
        },
        "outputType": {
          "default": "resourceLink",
          "type": "string",
          "enum": [
            "resourceLink",
            "resource",
          ],
        },
      },
    },
    "annotations": {
      "readOnlyHint": false,
      "destructiveHint": false,
      "idempotentHint": true,
      "openWorldHint": true,
    },
  },
  {
    "name": "toggle-simulated-logging",
    "inputSchema": {
      "$schema": "http://json-schema.org/draft-07/schema#",
      "type": "object",
      "properties": {},
    },
    "annotations": {
      "readOnlyHint": false,
      "destructiveHint": false,
      "idempotentHint": false,
      "openWorldHint": false,
    },
  },
  {
    "name": "toggle-subscriber-updates",
    "inputSchema": {
      "$schema": "http://json-schema.org/draft-07/schema#",
      "type": "object",
      "properties": {},
    },
    "annotations": {
      "readOnlyHint": false,
      "destructiveHint": false,
      "idempotentHint": false,
      "openWorldHint": false,
    },
  },
  {
    "name": "trigger-long-running-operation",
    "inputSchema": {
      "$schema": "http://json-schema.org/draft-07/schema#",
      "type": "object",
      "properties": {
        "duration": {
          "default": 10,
          "type": "number",
        },
        "steps": {
          "default": 5,
          "type": "number",
        },
      },
    },
    "annotations": {
      "readOnlyHint": true,
      "destructiveHint": false,
      "idempotentHint": true,
      "openWorldHint": false,
    },
  },
  {
    "name": "simulate-research-query",
    "inputSchema": {
      "$schema": "http://json-schema.org/draft-07/schema#",
      "type": "object",
      "properties": {
        "topic": {
          "type": "string",
        },
        "ambiguous": {
          "default": false,
          "type": "boolean",
        },
      },
      "required": [
        "topic",
      ],
    },
    "annotations": {
      "readOnlyHint": false,
      "destructiveHint": false,
      "idempotentHint": false,
      "openWorldHint": false,
    },
  },
];

export const filesystemTools: ToolDefinition[] = [
  {
    "name": "read_file",
    "inputSchema": {
      "$schema": "http://json-schema.org/draft-07/schema#",
      "type": "object",
      "properties": {
        "path": {
          "type": "string",
        },
        "tail": {
          "type": "number",
        },
        "head": {
          "type": "number",
        },
      },
      "required": [
        "path",
      ],
    },
    "annotations": {
      "readOnlyHint": true,
      "openWorldHint": false,
    },
  },
  {
    "name": "read_text_file",
    "inputSchema": {
      "$schema": "http://json-schema.org/draft-07/schema#",
      "type": "object",
      "properties": {
        "path": {
          "type": "string",
        },
        "tail": {
          "type": "number",
        },
        "head": {
          "type": "number",
        },
      },
      "required": [
        "path",
      ],
    },
    "annotations": {
      "readOnlyHint": true,
      "openWorldHint": false,
    },
  },
  {
    "name": "read_media_file",
    "inputSchema": {
      "$schema": "http://json-schema.org/draft-07/schema#",
      "type": "object",
      "properties": {
        "path": {
          "type": "string",
        },
      },
      "required": [
        "path",
      ],
    },
    "annotations": {
      "readOnlyHint": true,
      "openWorldHint": false,
    },
  },
  {
    "name": "read_multiple_files",
    "inputSchema": {
      "$schema": "http://json-schema.org/draft-07/schema#",
      "type": "object",
      "properties": {
        "paths": {
          "minItems": 1,
          "type": "array",
          "items": {
            "type": "string",
          },
        },
      },
      "required": [
        "paths",
      ],
    },
    "annotations": {
      "readOnlyHint": true,
      "openWorldHint": false,
    },
  },
  {
    "name": "write_file",
    "inputSchema": {
      "$schema": "http://json-schema.org/draft-07/schema#",
      "type": "object",
      "properties": {
        "path": {
          "type": "string",
        },
        "content": {
          "type": "string",
        },
      },
      "required": [
        "path",
        "content",
      ],
    },
    "annotations": {
      "readOnlyHint": false,
      "idempotentHint": true,
      "destructiveHint": true,
      "openWorldHint": false,
    },
  },
  {
    "name": "edit_file",
    "inputSchema": {
      "$schema": "http://json-schema.org/draft-07/schema#",
      "type": "object",
      "properties": {
        "path": {
          "type": "string",
        },
        "edits": {
          "type": "array",
          "items": {
            "type": "object",
            "properties": {
              "oldText": {
                "type": "string",
              },
              "newText": {
                "type": "string",
              },
            },
            "required": [
              "oldText",
              "newText",
            ],
          },
        },
        "dryRun": {
          "default": false,
          "type": "boolean",
        },
      },
      "required": [
        "path",
        "edits",
      ],
    },
    "annotations": {
      "readOnlyHint": false,
      "idempotentHint": false,
      "destructiveHint": true,
      "openWorldHint": false,
    },
  },
  {
    "name": "create_directory",
    "inputSchema": {
      "$schema": "http://json-schema.org/draft-07/schema#",
      "type": "object",
      "properties": {
        "path": {
          "type": "string",
        },
      },
      "required": [
        "path",
      ],
    },
    "annotations": {
      "readOnlyHint": false,
      "idempotentHint": true,
      "destructiveHint": false,
      "openWorldHint": false,
    },
  },
  {
    "name": "list_directory",
    "inputSchema": {
      "$schema": "http://json-schema.org/draft-07/schema#",
      "type": "object",
      "properties": {
        "path": {
          "type": "string",
        },
      },
      "required": [
        "path",
      ],
    },
    "annotations": {
      "readOnlyHint": true,
      "openWorldHint": false,
    },
  },
  {
    "name": "list_directory_with_sizes",
    "inputSchema": {
      "$schema": "http://json-schema.org/draft-07/schema#",
      "type": "object",
      "properties": {
        "path": {
          "type": "string",
        },
        "sortBy": {
          "default": "name",
          "type": "string",
          "enum": [
            "name",
            "size",
          ],
        },
      },
      "required": [
        "path",
      ],
    },
    "annotations": {
      "readOnlyHint": true,
      "openWorldHint": false,
    },
  },
  {
    "name": "directory_tree",
    "inputSchema": {
      "$schema": "http://json-schema.org/draft-07/schema#",
      "type": "object",
      "properties": {
        "path": {
          "type": "string",
        },
        "excludePatterns": {
          "default": [],
          "type": "array",
          "items": {
            "type": "string",
          },
        },
      },
      "required": [
        "path",
      ],
    },
    "annotations": {
      "readOnlyHint": true,
      "openWorldHint": false,
    },
  },
  {
    "name": "move_file",
    "inputSchema": {
      "$schema": "http://json-schema.org/draft-07/schema#",
      "type": "object",
      "properties": {
        "source": {
          "type": "string",
        },
        "destination": {
          "type": "string",
        },
      },
      "required": [
        "source",
        "destination",
      ],
    },
    "annotations": {
      "readOnlyHint": false,
      "idempotentHint": false,
      "destructiveHint": true,
      "openWorldHint": false,
    },
  },
  {
    "name": "search_files",
    "inputSchema": {
      "$schema": "http://json-schema.org/draft-07/schema#",
      "type": "object",
      "properties": {
        "path": {
          "type": "string",
        },
        "pattern": {
          "type": "string",
        },
        "excludePatterns": {
          "default": [],
          "type": "array",
          "items": {
            "type": "string",
          },
        },
      },
      "required": [
        "path",
        "pattern",
      ],
    },
    "annotations": {
      "readOnlyHint": true,
      "openWorldHint": false,
    },
  },
  {
    "name": "get_file_info",
    "inputSchema": {
      "$schema": "http://json-schema.org/draft-07/schema#",
      "type": "object",
      "properties": {
        "path": {
          "type": "string",
        },
      },
      "required": [
        "path",
      ],
    },
    "annotations": {
      "readOnlyHint": true,
      "openWorldHint": false,
    },
  },
  {
    "name": "list_allowed_directories",
    "inputSchema": {
      "$schema": "http://json-schema.org/draft-07/schema#",
      "type": "object",
      "properties": {},
    },
    "annotations": {
      "readOnlyHint": true,
      "openWorldHint": false,
    },
  },
];
