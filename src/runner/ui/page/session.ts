/// <reference lib="dom" />
/** The connection of the page to its server. */
import { chipsOf } from "./chips.ts";
import { restore } from "./history_store.ts";
import type { ServerState, Task, Tool } from "./page_types.ts";
import { api, readEvents, request } from "./requests.ts";
import { audit, chips, isReady, problem, route, server, tasks, token, tools } from "./state.ts";

addEventListener("hashchange", () => {
  const pasted = /(?:^#|&)token=([^&]+)/.exec(location.hash)?.[1];
  if (pasted) {
    history.replaceState(null, "", `${location.pathname}#/tools`);
    connectPage(pasted);
  }
  route.value = location.hash.slice(1) || "/tools";
});

/** Connects with a token, and loads what all pages need. */
export async function connectPage(given: string) {
  token.value = given.trim();
  problem.value = "";
  try {
    const state = await api<ServerState>("state");
    tools.value = await api<Tool[]>("tools");
    server.value = state;
    chips.value = chipsOf(state.ceiling);
    isReady.value = true;
    restore();
    follow();
  } catch (error) {
    problem.value = (error as Error).message;
  }
}

async function follow() {
  while (isReady.value) {
    audit.value = [];
    let batch: unknown[] = [];
    await readEvents(await request("events"), (event, data) => {
      if (event === "tasks") tasks.value = data as Task[];
      else if (event === "audit") {
        if (batch.push(data) === 1) {
          setTimeout(() => {
            audit.value = [...audit.value, ...batch].slice(-10_000);
            batch = [];
          }, 50);
        }
      }
    }).catch(() => {});
    await new Promise((end) => setTimeout(end, 2_000));
  }
}
