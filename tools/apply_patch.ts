import { problemFrom } from "../src/base/argument_problem.ts";
import { defineTool } from "../src/runner/registry/define.ts";
import { patchNeeds } from "../src/toolkit/files/patch/patch_needs.ts";
import { applyPatch } from "../src/toolkit/files/patch/apply_patch.ts";

export default defineTool({
  name: "apply_patch",
  aliases: ["ApplyPatch"],
  title: "Apply patch",
  description:
    'Changes several files with one patch: all of them, or none if any part does not apply. patch is V4A ("*** Begin Patch", then "*** Add File: PATH", "*** Delete File: PATH" or "*** Update File: PATH" with "*** Move to: PATH" and hunks after "@@", then "*** End Patch") or a unified diff. Lines match exactly first, then without whitespace at their ends, then with ASCII quotes and dashes; the result reports each relaxation. An error names the hunk and shows the most similar lines. Line endings and modes are kept.',
  category: "code",
  sideEffect: "mutating",
  uses: ["patches"],
  optionality: "optional",
  usageHint: "To change several places or files at once, or to move and delete files",
  inputSchema: {
    type: "object",
    properties: {
      patch: {
        type: "string",
        minLength: 1,
        description:
          "The patch. Its paths are absolute, or relative to the working directory. In a hunk, each line starts with a space (kept), - (removed) or + (added). Text after @@ is a line above the hunk.",
      },
    },
    required: ["patch"],
    additionalProperties: false,
  },
  examples: [
    {
      description: "Change a file and add another one",
      input: {
        patch:
          "*** Begin Patch\n*** Update File: hello.txt\n@@\n-Hello, world\n+Goodbye\n*** Add File: docs/new.md\n+# New\n*** End Patch\n",
      },
      expect: 'M "hello.txt" (1 hunk)\nA "docs/new.md"',
    },
    {
      description: "Apply a unified diff",
      input: { patch: "--- a/hello.txt\n+++ b/hello.txt\n@@ -1 +1 @@\n-Hello, world\n+Goodbye\n" },
      expect: "Patched 1 file",
    },
    {
      description: "A hunk that does not match changes nothing",
      input: {
        patch:
          "*** Begin Patch\n*** Update File: hello.txt\n@@\n-Good morning\n+Goodbye\n*** End Patch\n",
      },
      expect: "hunk 1 (line 3 of the patch)",
      isError: true,
    },
  ],
  rules: ({ patch }) => problemFrom("/patch", () => patchNeeds(patch)),
  permissions: {
    kinds: ["read", "write"],
    needs: ({ patch }) => patchNeeds(patch),
  },
  run: ({ patch }, ctx) => applyPatch(patch, ctx),
});
