import { CATALOGUE, type Flag } from "./flag.ts";

/** The flags that say which tools there are, and which of them are listed. */
export const selectionFlags: readonly Flag[] = [
  {
    name: "bundle",
    isOnce: true,
    commands: CATALOGUE,
    value: "required",
    metavar: "NAME",
    help: "The tools of a bundle alone: code_agent, blog_agent, read_only, all, or one of your own",
  },
  {
    name: "tools",
    commands: CATALOGUE,
    value: "required",
    metavar: "NAME,…",
    help: "The named tools alone; * stands for any characters: mcp__files__*",
  },
  {
    name: "no-tools",
    commands: CATALOGUE,
    value: "required",
    metavar: "NAME,…",
    help: "All tools but these; * stands for any characters",
  },
  {
    name: "category",
    commands: ["list"],
    value: "required",
    metavar: "NAME",
    help: "List the tools of one category",
  },
  {
    name: "optionality",
    commands: ["list"],
    value: "required",
    metavar: "NAME",
    help: "List the tools that are required, optional or conditional",
  },
  {
    name: "effect",
    commands: ["list"],
    value: "required",
    metavar: "NAME",
    help: "List the tools of one side effect, such as read_only",
  },
  {
    name: "search",
    commands: ["list"],
    value: "required",
    metavar: "TEXT",
    help: "List the tools that tell of every word: in a name, a text or an argument's name",
  },
  {
    name: "lint",
    commands: ["list"],
    value: "none",
    help: "Print what models' APIs would refuse of the tools' definitions, or lose",
  },
];
