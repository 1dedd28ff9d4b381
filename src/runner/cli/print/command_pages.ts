/** The texts about the commands. Help, completions, the man page and docs/cli.md derive from them. */

/** The groups of commands, in the order of the help. */
export const commandGroups = ["Tools", "Servers", "This machine", "More"] as const;

/** The page about a command. */
export interface CommandPage {
  /** The group in the help. */
  group: (typeof commandGroups)[number];
  /** One line: what the command does. */
  summary: string;
  /** The command lines, without "toolcall" and the command itself. */
  usage: readonly string[];
  /** The description of the command, in paragraphs. */
  about: readonly string[];
  /** Command lines that can be run, each with what it does. */
  examples: readonly (readonly [command: string, about: string])[];
  /** The words that can follow the command, each with what it does. */
  actions?: Readonly<Record<string, string>>;
}

const RESULT_FORMATS = "mcp|same|text|openai|responses|anthropic|gemini|bedrock|mistral|ollama|" +
  "ai-sdk|langchain|function-call";
const DEFINITION_FORMATS = "text|json|mcp|openai|responses|anthropic|gemini|bedrock|mistral|" +
  "cohere|ollama|ai-sdk|langchain";

/** The pages by the names of the commands, in the order of the help. */
export const commandPages: Readonly<Record<string, CommandPage>> = {
  call: {
    group: "Tools",
    summary: "Run one tool call. The word is optional",
    usage: ["[NAME [JSON]] [OPTIONS]", "[OPTIONS] < CALL"],
    about: [
      "Runs one tool call and prints the result: text at a terminal, one line of JSON in a pipe. " +
      "Without NAME, the call is read from stdin. With NAME only, the arguments are read from stdin.",
      "The call can be MCP's params, a JSON-RPC request, or a call or message of OpenAI or Anthropic. " +
      "--format=same answers in the same form.",
      "Without the word call, arguments can also be typed: toolcall NAME KEY=VALUE, KEY:=JSON, " +
      "KEY@=FILE, @FILE, or - for stdin. A program that passes a model's text uses call NAME JSON.",
      `Formats: ${RESULT_FORMATS.replaceAll("|", ", ")}. TOOLCALL_FORMAT sets the default.`,
    ],
    examples: [
      ["toolcall --allow-read=. fs.read path=README.md", "Run a tool with typed arguments"],
      [`toolcall call fs.read '{"path":"README.md"}' --allow-read=.`, "The same with JSON"],
      [
        `echo '{"name":"fs.list","arguments":{"path":"."}}' | toolcall --allow-read=.`,
        "Run a call from a model",
      ],
    ],
  },
  check: {
    group: "Tools",
    summary: "Show what a call needs and what is allowed, without running it",
    usage: ["NAME [ARGUMENTS] [--format=text|json] [OPTIONS]", "[OPTIONS] < CALL"],
    about: [
      "Does everything except run the call. Prints the needed permissions, whether the flags grant " +
      "them, what the sandbox allows, and a command that works. The exit code is that of the call: 0 " +
      "if it is allowed, 6 if a permission is missing.",
    ],
    examples: [
      ["toolcall check Bash command='git status'", "What does this call need?"],
      [
        "toolcall check --allow-read=. --allow-run=bash,git Bash command='git status'",
        "Are these permissions enough?",
      ],
    ],
  },
  list: {
    group: "Tools",
    summary: "List the tools, or print their definitions for a model",
    usage: [
      "[NAME…] [--search=TEXT] [--category=NAME] [--effect=NAME] [--lint]",
      `[NAME…] --format=${DEFINITION_FORMATS}`,
      "[NAME…] --format=anthropic|responses --vendor",
    ],
    about: [
      "Lists all tools, or the named ones. Filters combine with AND. Matches in names are listed " +
      "first. With --format it prints data, or the definitions that a model's API takes.",
      "With --lint it reports definitions that an API would reject or truncate. The exit code is then " +
      "1 if it finds something.",
      "With --vendor it prints the entries of the tools that the vendor of the model defines. With " +
      "flags that allow permissions, it prints only those that some call could use.",
    ],
    examples: [
      ["toolcall list", "All tools"],
      ["toolcall list --search=feed", "Tools that match a word"],
      ["toolcall list --bundle=code_agent --format=openai", "Definitions for an OpenAI request"],
    ],
  },
  describe: {
    group: "Tools",
    summary: "Show a tool's arguments, permissions and examples",
    usage: [`NAME [--format=${DEFINITION_FORMATS}]`],
    about: ["Shows a tool's description, arguments, permissions and examples."],
    examples: [
      ["toolcall describe fs.read", "A page about one tool"],
      ["toolcall describe fs.read --format=anthropic", "Its definition for Anthropic's API"],
    ],
  },
  add: {
    group: "Tools",
    summary: "Add the tools of an OpenAPI document, of a file or of a package",
    usage: [
      "FILE|URL [NAME] [--server=URL] [--yes] [--user]",
      "npm:PACKAGE[@VERSION] [NAME] [--yes] [--user]",
    ],
    about: [
      "Prints the tools and the permissions that their calls would need. Then it asks at a terminal. " +
      "In a script, --yes adds them; without it nothing is added, and the exit code is 1.",
      "FILE is an OpenAPI 3 document in JSON or YAML, a command tool in JSON, or a tool in " +
      "TypeScript. A package must have a program, which becomes an MCP server. Its install scripts " +
      "do not run.",
    ],
    examples: [
      ["toolcall add petstore.yaml", "Add a tool for each operation of an API"],
      ["toolcall add https://api.example.com/openapi.json shop --yes", "Add an API in a script"],
      ["toolcall add npm:@modelcontextprotocol/server-everything", "Add an MCP server"],
    ],
  },
  new: {
    group: "Tools",
    summary: "Add a tool of your own, without a build",
    usage: [
      "NAME [--command] [-- PROGRAM ARGUMENT…] [--user]",
      "NAME --typescript [--tools-dir=DIR]",
    ],
    about: [
      "Adds a command tool to toolcall.json. {path} in an ARGUMENT becomes the argument path of the " +
      "tool. Without PROGRAM, the tool is a sample with two examples.",
      "--user adds it to your own configuration, for all projects.",
      "--typescript writes a tool in TypeScript into your tools directory, with the types for an editor.",
    ],
    examples: [
      ["toolcall new greet", "Add a sample"],
      ["toolcall new shout --typescript", "Write a sample in TypeScript"],
      ["toolcall new count_words -- wc -w -- '{path}'", "Add a tool for a program"],
    ],
  },
  try: {
    group: "Tools",
    summary: "Run the examples of a tool with the permissions it declares",
    usage: ["NAME"],
    about: [
      "Runs each example in the sandbox of the permissions that the tool declares for it. A program " +
      "that reads more than that fails, and the result names the missing permission. The exit code " +
      "is 1 if an example fails.",
      "For a tool in TypeScript it also checks the types, and lists each access that the tool tried " +
      "and does not declare.",
    ],
    examples: [
      ["toolcall new greet && toolcall try greet", "Run the examples of a new tool"],
      ["toolcall try TodoWrite", "Run the examples of a built-in tool"],
    ],
  },
  submit: {
    group: "Tools",
    summary: "Run thousands of calls, one per line of stdin",
    usage: [
      "[--jobs=N] [--ordered] [--quiet] [OPTIONS] < CALLS > RESULTS",
      "--nats=URL [--durable [--batch=ID]] [OPTIONS] < CALLS > RESULTS",
      "--nats=URL --batch=ID --attach|--cancel",
    ],
    about: [
      'Runs many calls in one process. Each line of stdin is a call in any form, or {"id", "call"}. ' +
      'Each line of stdout is a result with "id": the id of the line, of the call, or the number of ' +
      "the line.",
      "The exit code is 0 if every call succeeded, 1 if some failed, and 7 after a signal. A second " +
      "signal ends the program at once.",
      "With --nats the calls run on the workers of toolcall worker. Permission flags then restrict the " +
      "calls further. With --durable the server keeps calls and results, so each call gets exactly one " +
      "result. --attach prints the results of a batch, --cancel ends it.",
    ],
    examples: [
      [
        `echo '{"name":"fs.list","arguments":{"path":"."}}' | toolcall submit --allow-read=.`,
        "Run the calls of a pipe",
      ],
      [
        "toolcall submit --allow-read=. --jobs=2 --ordered < calls.ndjson",
        "Two at a time, results in order",
      ],
    ],
  },
  grammar: {
    group: "Tools",
    summary: "Print a GBNF grammar that allows only valid calls",
    usage: ["[NAME…] [--strict]"],
    about: [
      "Prints a grammar for llama.cpp and similar programs. A model that is constrained by it can only " +
      "produce calls of the tools, or of the named ones. stderr reports schema features that it cannot " +
      "express. With --strict, the exit code is then 1.",
    ],
    examples: [
      ["toolcall grammar fs.read", "The grammar of one tool"],
      ["toolcall grammar Read Grep", "The grammar of two tools"],
    ],
  },
  bundles: {
    group: "Tools",
    summary: "List the bundles of tools",
    usage: ["[--format=text|json]"],
    about: [
      "Lists the bundles for --bundle, built-in ones and those of the configuration. Shows the " +
      "required and optional tools of each, and an estimate of the tokens that their definitions cost.",
    ],
    examples: [
      ["toolcall bundles", "A table"],
      ["toolcall bundles --format=json", "The same as data"],
    ],
  },
  mcp: {
    group: "Servers",
    summary: "Run as an MCP server, or install it in a client",
    usage: [
      "[--http=HOST:PORT [--token-env=NAME|--no-token]] [OPTIONS]",
      "install CLIENT [--write] [--scope=project|user] [OPTIONS]",
      "uninstall CLIENT [--write] [--scope=project|user]",
      "list [--format=text|json]",
      "add NAME URL|-- PROGRAM ARGUMENT…",
      "login SERVER [--no-open] [--scope=SCOPE] [--auth-server[=ORIGIN,…]]",
      "logout SERVER",
      "status [SERVER] [--format=text|json]",
      "remove NAME",
      "stop NAME|--all",
    ],
    about: [
      "Runs as an MCP server with the given permissions: over stdio until its input ends, or with " +
      "--http until a signal comes.",
      "install prints the configuration for a client; --write adds it to the client's file. The bundle " +
      "is code_agent unless --bundle or --tools is given. uninstall removes it.",
      "list shows the clients that have toolcall, and then the MCP servers with their state. add and " +
      'remove change the servers of the configuration. stop ends a server that "keepAlive" keeps ' +
      "between calls.",
      "login logs in to a server of the configuration by a browser (OAuth). logout ends its tokens, " +
      "and status shows which servers have some.",
      "Clients: claude-code, claude-desktop, cursor, vscode, zed, codex, gemini, windsurf, kiro, roo, " +
      "opencode, copilot-cli, amp, lmstudio, continue, qwen-code.",
    ],
    examples: [
      ["toolcall mcp install cursor --allow-read=.", "Print the configuration for Cursor"],
      ["toolcall mcp list", "Which clients have toolcall, and which servers run?"],
    ],
    actions: {
      install: "Print or write the configuration of a client",
      uninstall: "Remove it from the client's file",
      list: "Show the clients that have it, and the servers with their state",
      add: "Add a server whose tools toolcall offers",
      login: "Log in to such a server by a browser",
      logout: "End the tokens for a server, and remove them",
      status: "Show which servers have tokens",
      remove: "Remove such a server",
      stop: "End a server that is kept between calls",
    },
  },
  ui: {
    group: "Servers",
    summary: "Open a page in the browser that shows and tries tools and permissions",
    usage: [
      "[--port=PORT] [--host=HOST] [--no-open] [--read-only] [--audit=FILE] [OPTIONS]",
    ],
    about: [
      "Serves a page on this machine until a signal comes, and opens it in the browser. The page lists " +
      "all tools, and shows what a call needs and what the sandbox allows before it runs.",
      "The permission flags are the upper limit. The page can narrow them, but never widen them. Only " +
      "the address with the token reaches the data.",
    ],
    examples: [
      ["toolcall ui --allow-read=.", "Try tools that read this directory"],
      ["toolcall ui -A --read-only", "Check calls, and run none"],
    ],
  },
  worker: {
    group: "Servers",
    summary: "Run the calls that come over NATS",
    usage: [
      "--nats=URL [--pool=NAME] [--jobs=N] [--durable] [OPTIONS]",
      "init --nats=URL [--pool=NAME] [--replicas=N] [--lease=TIME]",
    ],
    about: [
      "Runs calls of toolcall call --nats and toolcall submit --nats with the given permissions, until a " +
      "signal comes. Callers can restrict the permissions of their calls, and never extend them. It then " +
      "finishes the running calls. The tools cannot reach the NATS server or the files with credentials.",
      "init makes the streams that durable calls need. Run it once for each pool, with a key that may " +
      "do so. Workers do not need that permission.",
    ],
    examples: [
      ["toolcall worker --nats=nats://127.0.0.1:4222 --allow-read=.", "A worker that reads files"],
      ["toolcall worker init --nats=nats://127.0.0.1:4222", "Prepare a server for durable calls"],
    ],
    actions: { init: "Make the streams of durable calls" },
  },
  doctor: {
    group: "This machine",
    summary: "Test the sandbox and everything that tools need",
    usage: ["[--format=text|json] [--allow-mcp[=SERVER,…]]"],
    about: [
      "Tests the sandbox, checks what tools and MCP servers need, and explains how to install what is " +
      "missing. It starts an MCP server only if --allow-mcp allows it. The exit code is 0 if the " +
      "sandbox works, otherwise 1.",
    ],
    examples: [
      ["toolcall doctor", "A report"],
      ["toolcall doctor --format=json", "The same as data"],
    ],
  },
  config: {
    group: "This machine",
    summary: "Check, read and change the configuration",
    usage: [
      "check [FILE] [--format=text|json]",
      "get KEY | set KEY VALUE | edit | path [--user]",
      "trust [FILE] [--clear] | prompts [--clear] | schema",
    ],
    about: [
      "check prints every problem of the configuration that a call would read, or of one file. The exit " +
      "code is 1 if it finds an error. schema prints the JSON Schema of toolcall.json.",
      "get and set use keys such as tools.disabled or /policy/fs.read/timeoutMs. A VALUE that is not " +
      "JSON is a string. null removes the key. Comments are kept. edit opens $VISUAL or $EDITOR. Neither " +
      "writes a file that calls could not use.",
      "trust prints what a project's file grants and starts, and trusts its text until it changes. " +
      "Without trust these parts do not count. --clear takes the trust back.",
      "prompts lists the permissions that --prompt has kept; --clear removes them. --user selects your " +
      "own file instead of the project's.",
    ],
    examples: [
      ["toolcall config check", "Is the configuration valid?"],
      [`toolcall config set tools.disabled '["Bash"]'`, "Disable a tool"],
      ["toolcall config path", "Which files are read?"],
      ["toolcall config trust", "Trust the project's file"],
    ],
    actions: {
      check: "Print every problem",
      get: "Print the value of a key",
      set: "Change the value of a key",
      edit: "Open the file in an editor",
      path: "Print the paths of the files",
      trust: "Let a project's file grant rights and start programs",
      prompts: "List the permissions that --prompt has kept",
      schema: "Print the JSON Schema of the file",
    },
  },
  tasks: {
    group: "This machine",
    summary: "List, follow and stop background tasks",
    usage: [
      "[list] [--format=text|json]",
      "show|stop ID | logs ID [-f] | wait ID [--timeout=TIME]",
      "--nats=URL ...",
    ],
    about: [
      "Lists the background tasks: running ones, and those that ended in the last week. show prints the " +
      "state and the result of one, logs its output, with -f until it ends.",
      "wait waits for the end. Its exit code is 0 if the task succeeded, 1 if it failed, and 7 if it was " +
      "stopped or a time limit passed.",
      "With --nats, the tasks are yours on workers, of the last 24 hours.",
    ],
    examples: [
      ["toolcall tasks", "All tasks"],
      ["toolcall tasks list --format=json", "The same as data"],
    ],
    actions: {
      list: "List the tasks",
      show: "Print the state and the result of a task",
      logs: "Print the output of a task",
      wait: "Wait for the end of a task",
      stop: "Stop a task",
    },
  },
  audit: {
    group: "This machine",
    summary: "Print the calls of an audit log",
    usage: ["FILE [-f] [--tool=NAME] [--denied] [--format=text|json]"],
    about: [
      "Prints the calls in a file of --audit: a table at a terminal, lines of JSON in a pipe. With -f " +
      "it follows the file, also when --audit-max-size starts a new one. Lines that are not the record " +
      "of a call are counted on stderr.",
    ],
    examples: [
      ["toolcall audit calls.jsonl", "All calls"],
      ["toolcall audit calls.jsonl --denied --format=text", "Refused calls as a table"],
    ],
  },
  cache: {
    group: "This machine",
    summary: "Show and clean the unpacked versions of toolcall",
    usage: ["[list | clean [--all [--state]]] [--format=text|json]"],
    about: [
      "Lists the versions of toolcall that were unpacked. clean removes those that were not used for " +
      "two days, except the last two. A version that another program runs from is never removed.",
      "Run clean --all before you uninstall toolcall. It removes every version, also this one. --state " +
      "also removes the state directory: settings, to-do lists and background tasks.",
    ],
    examples: [
      ["toolcall cache", "What is kept?"],
      ["toolcall cache clean", "Remove old versions"],
      ["toolcall cache clean --all", "Remove all versions, before uninstalling"],
    ],
    actions: { list: "List the versions", clean: "Remove old versions" },
  },
  completions: {
    group: "More",
    summary: "Print a completion script for bash, zsh or fish",
    usage: ["bash|zsh|fish"],
    about: [
      "Prints a script that completes commands, flags, tools and their arguments. Add the output to the " +
      "start file of your shell.",
    ],
    examples: [
      ["toolcall completions bash", "For ~/.bashrc"],
      ["toolcall completions fish", "For ~/.config/fish/completions/toolcall.fish"],
    ],
    actions: { bash: "For Bash", zsh: "For Zsh", fish: "For fish" },
  },
  help: {
    group: "More",
    summary: "Show help on a command, a tool or a topic",
    usage: ["[COMMAND | TOOL | permissions | formats | exit-codes | all]", "--man"],
    about: [
      "Shows help. toolcall COMMAND --help and toolcall TOOL --help do the same. --man prints the " +
      "manual page for man(1).",
    ],
    examples: [
      ["toolcall help permissions", "The permission flags"],
      ["toolcall help check", "A command"],
      ["toolcall help fs.read", "A tool"],
    ],
  },
  version: {
    group: "More",
    summary: "Print the version",
    usage: ["[--verbose]"],
    about: [
      "Prints the version. toolcall --version does the same. --verbose adds the commit, the format of " +
      "the executable, and the versions of Deno, V8 and ripgrep.",
    ],
    examples: [
      ["toolcall version", "The version"],
      ["toolcall version --verbose", "The version and its parts"],
    ],
  },
};

/** The exit codes and their meanings. */
export const exitCodeRows: readonly (readonly [code: string, meaning: string])[] = [
  ["0", "the call succeeded"],
  ["1", "the tool ran and failed (tool_failed)"],
  ["2", "the command line is wrong"],
  ["3", "the input is not a call (malformed_call)"],
  ["4", "no such tool, or it is disabled (tool_not_found)"],
  ["5", "the arguments are invalid (invalid_arguments)"],
  ["6", "a permission is missing (permission_denied)"],
  ["7", "the time limit passed, or a signal came (timeout, cancelled, interrupted)"],
  ["8", "something that the tool needs is missing (unavailable)"],
  ["70", "a bug in toolcall (internal)"],
];

/** The output formats and what prints them. */
export const formatRows: readonly (readonly [format: string, meaning: string])[] = [
  ["mcp", "MCP's CallToolResult as one line of JSON; the default in a pipe"],
  ["text", "text for people; the default at a terminal"],
  ["same", "the form of the call"],
  ["openai", "a message with the role tool, for OpenAI's chat completions"],
  ["responses", "a function_call_output, or that of the item, for OpenAI's Responses"],
  ["anthropic", "a tool_result, for Anthropic's messages"],
  ["gemini", "a functionResponse, for Gemini"],
  ["bedrock", "a toolResult, for Bedrock's Converse API"],
  ["mistral", "a tool message in camel case, for the SDKs of Mistral and Cohere"],
  ["ollama", "a tool message with tool_name, for Ollama's own API"],
  ["ai-sdk", "a tool-result, for the AI SDK"],
  ["langchain", "a ToolMessage, for LangChain"],
  ["function-call", "a message with the role function, for OpenAI's older API"],
  ["json", "data (list, describe, check, doctor, tasks, config, audit, bundles, cache)"],
];
