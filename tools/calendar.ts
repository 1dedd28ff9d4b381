import { problemFrom, problemIf } from "../src/base/argument_problem.ts";
import { defineTool } from "../src/runner/registry/define.ts";
import { checkZoneName } from "../src/toolkit/calendar/zone_name.ts";
import { checkFilePath } from "../src/toolkit/files/check_path.ts";
import { pageHost } from "../src/toolkit/web/fetch/page_url.ts";

export default defineTool({
  name: "calendar",
  title: "List events of a calendar",
  description:
    "Lists the events of an iCalendar file (.ics, RFC 5545) in a time range, from a file or URL, sorted by time. Shows times in time_zone, title, place and description. Recurring events are expanded in their own time zone, with exceptions. A series with over 100,000 occurrences is skipped and reported. Reads at most 10 MiB. To-dos and journals are not listed.",
  category: "research",
  sideEffect: "network",
  idempotent: true,
  optionality: "optional",
  usageHint: "To look up past or upcoming events",
  inputSchema: {
    type: "object",
    properties: {
      path: {
        type: "string",
        description: "The calendar file. Give path or url.",
        minLength: 1,
      },
      url: {
        type: "string",
        description: "The calendar's http, https or webcal URL. Give path or url.",
        format: "uri",
      },
      from: {
        type: "string",
        description: "The first day (2026-01-31) or time (2026-01-31T08:00). Default: now.",
        minLength: 4,
      },
      to: {
        type: "string",
        description: "The last day or time. Default: 30 days after from.",
        minLength: 4,
      },
      time_zone: {
        type: "string",
        description: "The time zone for output and for times without one, such as Europe/Paris.",
        minLength: 1,
        maxLength: 100,
        default: "UTC",
      },
      limit: {
        type: "integer",
        description: "The maximum number of events.",
        minimum: 1,
        maximum: 1000,
        default: 100,
      },
    },
    additionalProperties: false,
  },
  examples: [
    {
      description: "A week, with a series and its exceptions",
      input: {
        path: "$ROOT/river.ics",
        from: "2026-03-23",
        to: "2026-04-05",
        time_zone: "Europe/Paris",
      },
      expect: "- Tue 2026-03-31 11:00-11:30  Measure the level (changed)",
    },
    {
      description: "From the web",
      input: { url: "http://$SERVER/river.ics", from: "2026-03-23", to: "2026-03-23" },
      expect: "- Mon 2026-03-23 08:00-08:30  Measure the level (repeats)",
    },
    {
      description: "One place at a time",
      input: { path: "$ROOT/river.ics", url: "http://$SERVER/river.ics" },
      expect: "give path or url",
      isError: true,
    },
  ],
  rules: ({ path, url, time_zone }) => [
    ...problemIf(
      (path === undefined) === (url === undefined),
      "/path",
      "Cannot tell which calendar to read: give path or url, and not both",
    ),
    ...(path === undefined ? [] : problemFrom("/path", () => checkFilePath(path))),
    ...(url === undefined ? [] : problemFrom("/url", () => hostOf(url))),
    ...(time_zone === undefined ? [] : problemFrom("/time_zone", () => checkZoneName(time_zone))),
  ],
  permissions: {
    kinds: ["read", "net"],
    needs({ path, url }) {
      return path !== undefined ? [{ name: "read", path }] : [{ name: "net", host: hostOf(url!) }];
    },
  },
  timeoutMs: 30_000,
  maxRetries: 2,
  async run({ path, url, from, to, time_zone, limit }, ctx) {
    const { listEvents } = await import("../src/toolkit/calendar/calendar.ts");
    return await listEvents(ctx, { path, url, from, to, timeZone: time_zone, limit });
  },
});

function hostOf(url: string): string {
  return pageHost(url.replace(/^webcals?:/i, "https:"));
}
