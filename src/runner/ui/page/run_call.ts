/// <reference lib="dom" />
/** Checks, runs and cancels calls. */
import { effect } from "@preact/signals";
import { remember } from "./history_store.ts";
import type { Asked, Need, Report, Result } from "./page_types.ts";
import { api, readEvents, request } from "./requests.ts";
import {
  args,
  asked,
  chosenFlags,
  isReady,
  latest,
  report,
  reportError,
  running,
  say,
  selected,
} from "./state.ts";
import { touch } from "./tool_marks.ts";

/** Checks the current call under the current flags. */
export async function check() {
  if (selected.value === "") return;
  const [name, given, under] = [selected.value, args.value, chosenFlags.value];
  try {
    const found = await api<Report>("check", { name, arguments: given, flags: under });
    if (name !== selected.value || given !== args.value || under !== chosenFlags.value) return;
    report.value = found;
    reportError.value = "";
  } catch (error) {
    reportError.value = (error as Error).message;
  }
}

let timer = 0;
effect(() => {
  // Reading these values makes the check follow them.
  [selected.value, args.value, chosenFlags.value];
  clearTimeout(timer);
  if (isReady.value) timer = setTimeout(check, 180) as unknown as number;
});

/** Runs a call, the current one unless another is given. */
export async function run(name = selected.value, given = args.value, under = chosenFlags.value) {
  if (running.value !== undefined) return;
  running.value = { id: "", log: [] };
  const at = Date.now();
  let needs: Need[] = [];
  try {
    needs = (await api<Report>("check", { name, arguments: given, flags: under })).needs ?? [];
    const response = await request("call", {
      method: "POST",
      body: JSON.stringify({ name, arguments: given, flags: under }),
    });
    if (!response.ok) throw new Error((await response.json()).error);
    await readEvents(response, (event, data) => {
      if (event === "start") {
        running.value = { ...running.value!, id: (data as { id: string }).id };
        if (running.value.isCancelled) cancel();
      }
      if (event === "progress" || event === "output") {
        running.value = { ...running.value!, log: [...running.value!.log, String(data)] };
      }
      if (event === "question") asked.value = data as Asked;
      if (event !== "result") return;
      const { result, ms, exit } = data as { result: Result; ms: number; exit: number };
      const error = result._meta?.["toolcall/error"] as { code: string } | undefined;
      const row = {
        id: at + Math.random(),
        at,
        name,
        args: given,
        flags: under,
        ms,
        exit,
        code: error?.code ?? "",
        result,
        log: running.value?.log ?? [],
        needs,
      };
      latest.value = row;
      remember(row);
    });
  } catch (error) {
    say((error as Error).message);
  }
  running.value = undefined;
  asked.value = undefined;
}

/** Cancels the running call, as soon as the server has named it. */
export function cancel() {
  if (running.value === undefined) return;
  running.value = { ...running.value, isCancelled: true };
  const { id } = running.value;
  if (id !== "") api(`calls/${id}`, undefined, "DELETE").catch(() => {});
}

/** Opens a tool, with arguments if they are given. */
export function open(name: string, given: Record<string, unknown> = {}) {
  selected.value = name;
  touch(name);
  args.value = given;
  latest.value = undefined;
  report.value = undefined;
  location.hash = `/tools/${encodeURIComponent(name)}`;
}
