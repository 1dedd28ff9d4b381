/// <reference lib="dom" />
/** The list of tools, with its filters. */
import { lookupTable } from "../../../base/lookup_table.ts";
import { computed, signal } from "@preact/signals";
import type { Tool } from "./page_types.ts";
import { open } from "./run_call.ts";
import { selected, tools } from "./state.ts";
import { favourites, isCallable, recent } from "./tool_marks.ts";
import { VirtualList } from "./virtual_list.tsx";

const query = signal("");
const effectOf = signal("");
const groupOf = signal("");

/** The labels of side effects. */
export const EFFECTS: Record<string, string> = {
  none: "no effect",
  read_only: "reads",
  mutating: "changes",
  spawns: "runs programs",
  network: "network",
  blocking: "asks you",
};

const GROUPS = lookupTable<(tool: Tool) => boolean>({
  "": () => true,
  callable: isCallable,
  favourites: ({ name }) => favourites.value.includes(name),
  recent: ({ name }) => recent.value.includes(name),
});

/** The server of a tool, or an empty string for a tool of this program. */
const serverOf = ({ name }: Tool) => /^mcp__(.+?)__/.exec(name)?.[1] ?? "";

/** How well a name fits a query: 0 is best. */
function rank(name: string, words: readonly string[]): number {
  const [own, wanted] = [name.toLowerCase(), words.join(" ")];
  return own === wanted ? 0 : wanted !== "" && own.startsWith(wanted) ? 1 : 2;
}

/** The tools that match the filters. The best matches come first, and favourites before others. */
const matching = computed((): Tool[] => {
  const words = query.value.toLowerCase().split(/\s+/).filter(Boolean);
  const group = GROUPS[groupOf.value] ??
    ((each: Tool) => serverOf(each) === groupOf.value.slice("server:".length));
  const marked = new Set(favourites.value);
  return tools.value.filter((each) =>
    (effectOf.value === "" || each.sideEffect === effectOf.value) && group(each) &&
    words.every((word) =>
      `${each.name} ${each.title} ${each.category} ${each.aliases?.join(" ")}`.toLowerCase()
        .includes(word)
    )
  ).sort((a, b) =>
    rank(a.name, words) - rank(b.name, words) ||
    Number(marked.has(b.name)) - Number(marked.has(a.name))
  );
});

/** Selects the tool before or after the selected one. */
export function step(by: number) {
  const list = matching.value;
  const next = list[
    Math.max(
      0,
      Math.min(list.length - 1, list.findIndex(({ name }) => name === selected.value) + by),
    )
  ];
  if (next) open(next.name);
}

/** The list of tools. */
export function ToolSidebar() {
  const list = matching.value;
  const servers = [...new Set(tools.value.map(serverOf))].filter(Boolean).sort();
  const effects = [...new Set(tools.value.map(({ sideEffect }) => sideEffect))].sort();
  return (
    <nav class="tool-list" aria-label="Tools">
      <div class="list-head">
        <input
          id="search"
          type="search"
          placeholder="Search tools  /"
          aria-label="Search tools"
          value={query.value}
          onInput={(event) => query.value = event.currentTarget.value}
          onKeyDown={(event) => event.key === "Enter" && list[0] && open(list[0].name)}
        />
        <select
          aria-label="Filter by effect"
          value={effectOf.value}
          onChange={(event) => effectOf.value = event.currentTarget.value}
        >
          <option value="">All effects</option>
          {effects.map((each) => <option key={each} value={each}>{EFFECTS[each] ?? each}</option>)}
        </select>
        <select
          aria-label="Filter by group"
          value={groupOf.value}
          onChange={(event) => groupOf.value = event.currentTarget.value}
        >
          <option value="">All tools</option>
          <option value="callable">Callable now</option>
          <option value="favourites">Favourites</option>
          <option value="recent">Recent</option>
          {servers.map((each) => <option key={each} value={`server:${each}`}>Server: {each}
          </option>)}
        </select>
      </div>
      <VirtualList
        count={list.length}
        height={52}
        label="Tools"
        at={list.findIndex(({ name }) => name === selected.value)}
        row={(at) => {
          const each = list[at]!;
          return (
            <button
              type="button"
              class="tool-row"
              aria-current={each.name === selected.value ? "true" : undefined}
              onClick={() => open(each.name)}
            >
              <span
                class={`dot ${each.sideEffect}`}
                title={EFFECTS[each.sideEffect] ?? each.sideEffect}
              />
              <span class="names">
                <b>{each.name}</b>
                <small>{each.title}</small>
              </span>
              {favourites.value.includes(each.name) && (
                <span class="star" title="Favourite" aria-label="favourite" role="img">★</span>
              )}
              {!isCallable(each) && (
                <span
                  class="lock"
                  title="The chosen permissions allow no call of this tool"
                  aria-label="locked"
                  role="img"
                >
                  <svg viewBox="0 0 12 14" aria-hidden="true">
                    <rect x="1" y="6" width="10" height="7" rx="1.5" />
                    <path d="M3.5 6V4a2.5 2.5 0 0 1 5 0v2" />
                  </svg>
                </span>
              )}
            </button>
          );
        }}
      />
      <p class="muted count">{list.length} of {tools.value.length} tools</p>
    </nav>
  );
}
