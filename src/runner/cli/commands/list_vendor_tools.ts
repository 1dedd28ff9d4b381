import { UsageError } from "../../../base/errors.ts";
import { workingDirectory } from "../../config/config_files.ts";
import { namesTool } from "../../registry/name_pattern.ts";
import { couldRun, type ToolMetadata } from "../../registry/registered_tool.ts";
import { decide } from "../../sandbox/policy/grants.ts";
import { vendorDefinitions, vendorFormats } from "../../schema/definitions/vendor_tools.ts";
import { realGrants } from "../call_options.ts";
import { findTools, useCatalogue } from "../catalogue/catalogue.ts";
import { type CommandLine, type Process, readFormat } from "../command.ts";
import { writeAll } from "../streams.ts";

/** Prints the entries of the tools that a model's vendor defines. */
export async function listVendorTools(
  line: CommandLine,
  operands: readonly string[],
  process: Process,
): Promise<number> {
  const format = readFormat(line, vendorFormats);
  if (!line.options.has("format")) {
    throw new UsageError(`--vendor needs --format=${vendorFormats.join(" or --format=")}`);
  }
  const { allow, all, deny } = line.grants;
  const isGranted = all || [allow, deny].some((grants) => Object.keys(grants).length > 0);
  const hasMemory = !isGranted || await mayUseMemory(line);
  const entries = await useCatalogue({ line }, process, async (registry) => {
    // An unknown name is an error.
    await findTools(registry, operands);
    const isNamed = (tool: ToolMetadata) =>
      operands.length === 0 || operands.some((name) => namesTool(name, tool));
    // Some examples need no permission, so the kinds count too.
    const isAllowed = (tool: ToolMetadata) =>
      tool.name === "memory" ? hasMemory : !isGranted ||
        [tool, { ...tool, permissionSets: [] }].every((each) => couldRun(each, line.grants));
    return await vendorDefinitions(format, registry, { isNamed, isAllowed });
  });
  await writeAll(process.stdout, `${JSON.stringify(entries)}\n`);
  return 0;
}

/** Whether the flags name a directory for the memory tool, and allow reading it. */
async function mayUseMemory(line: CommandLine): Promise<boolean> {
  if (!line.options.has("memory-dir")) return false;
  const { memoryDirectory } = await import("../memory_directory.ts");
  const here = workingDirectory();
  const grants = await realGrants(line.grants, here);
  const { memoryDirectory: path } = memoryDirectory(line, { here, grants });
  const { granted, denied } = decide({ name: "read", path }, grants);
  return granted && !denied;
}
