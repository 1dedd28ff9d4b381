import { expect } from "@std/expect";
import { call, oneLine, temporaryDirectory, toolcall } from "../../support/executable.ts";
import { countingServer } from "../../support/counting_server.ts";
import { submitCalls } from "./submitted_calls.ts";

const calendarOf = (inner: string) =>
  `BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:t\n${inner}\nEND:VCALENDAR\n`.replaceAll("\n", "\r\n");

const eventOf = (lines: string, uid = "u") => `BEGIN:VEVENT\nUID:${uid}\n${lines}\nEND:VEVENT`;

/** The result for a calendar with these contents. */
async function events(inner: string, args: Record<string, unknown>) {
  using directory = temporaryDirectory();
  const path = `${directory.path}/c.ics`;
  Deno.writeTextFileSync(path, inner.includes("VCALENDAR") ? inner : calendarOf(inner));
  return await call("calendar", { path, ...args }, { flags: [`--allow-read=${directory.path}`] });
}

/** The results for calendars with these contents, in one process. */
async function eventsOfAll(rows: readonly (readonly [string, Record<string, unknown>])[]) {
  using directory = temporaryDirectory();
  const calls = rows.map(([inner, args], at) => {
    const path = `${directory.path}/${at}.ics`;
    Deno.writeTextFileSync(path, calendarOf(inner));
    return { name: "calendar", arguments: { path, ...args } };
  });
  return await submitCalls(calls, { flags: [`--allow-read=${directory.path}`] });
}

/** The times of the events, without their titles. */
function times(text: string): string[] {
  return [...text.matchAll(/^- (?:\w{3} )?(.*?) {2}/gm)].map(([, time]) => time!);
}

const PARIS = "DTSTART;TZID=Europe/Paris";

Deno.test("calendar > a recurring event is expanded as RFC 5545 says", async () => {
  const year = { from: "2026-01-01", to: "2026-12-31" };
  const rules: [lines: string, args: Record<string, unknown>, expected: string[]][] = [
    // The clocks change on 2026-03-29: nine in Paris stays nine in Paris.
    [`${PARIS}:20260327T090000\nDURATION:PT1H\nRRULE:FREQ=DAILY;COUNT=4`, year, [
      ...["2026-03-27 08:00-09:00", "2026-03-28 08:00-09:00"],
      ...["2026-03-29 07:00-08:00", "2026-03-30 07:00-08:00"],
    ]],
    ["DTSTART:20240229T100000Z\nRRULE:FREQ=YEARLY", { from: "2025-01-01", to: "2032-12-31" }, [
      ...["2028-02-29 10:00", "2032-02-29 10:00"],
    ]],
    ["DTSTART:20260131T100000Z\nRRULE:FREQ=MONTHLY", { from: "2026-01-01", to: "2026-05-31" }, [
      ...["2026-01-31 10:00", "2026-03-31 10:00", "2026-05-31 10:00"],
    ]],
    ["DTSTART:20260102T100000Z\nRRULE:FREQ=MONTHLY;BYDAY=-1FR;UNTIL=20260327T100000Z", year, [
      ...["2026-01-30 10:00", "2026-02-27 10:00", "2026-03-27 10:00"],
    ]],
    ["DTSTART;VALUE=DATE:20260105\nRRULE:FREQ=WEEKLY;INTERVAL=2;UNTIL=20260202", year, [
      ...["2026-01-05, all day", "2026-01-19, all day", "2026-02-02, all day"],
    ]],
    ["DTSTART:19700101T060000Z\nRRULE:FREQ=DAILY", { from: "2026-02-01", to: "2026-02-02" }, [
      ...["2026-02-01 06:00", "2026-02-02 06:00"],
    ]],
    ["DTSTART:20260101T100000Z\nRRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30", year, []],
    ["DTSTART:20260101T100000Z\nRDATE:20260105T100000Z,20260107T110000Z", year, [
      ...["2026-01-01 10:00", "2026-01-05 10:00", "2026-01-07 11:00"],
    ]],
    [
      `${PARIS}:20260105T100000\nRRULE:FREQ=DAILY;COUNT=4\nEXDATE;TZID=Europe/Paris:20260106T100000\nEXDATE;VALUE=DATE:20260107`,
      year,
      [
        ...["2026-01-05 09:00", "2026-01-08 09:00"],
      ],
    ],
    [
      "DTSTART:20260105T100000Z\nDTEND:20260105T110000Z\nRDATE;VALUE=PERIOD:20260106T100000Z/20260106T130000Z,20260107T100000Z/PT2H\nRDATE:20260108T100000Z",
      year,
      [
        ...["2026-01-05 10:00-11:00", "2026-01-06 10:00-13:00"],
        ...["2026-01-07 10:00-12:00", "2026-01-08 10:00-11:00"],
      ],
    ],
    [
      "DTSTART:20260105T100000Z\nRRULE:FREQ=DAILY;COUNT=4\nEXRULE:FREQ=DAILY;INTERVAL=2;UNTIL=20260108T000000Z\nRRULE:FREQ=WEEKLY;COUNT=2",
      year,
      [
        ...["2026-01-06 10:00", "2026-01-08 10:00", "2026-01-12 10:00"],
      ],
    ],
    // An event that began earlier and still lasts counts. An event that ends as the range begins
    // does not.
    ["DTSTART:20251231T230000Z\nDTEND:20260101T020000Z", year, [
      "2025-12-31 23:00 to 2026-01-01 02:00",
    ]],
    ["DTSTART:20251231T230000Z\nDTEND:20260101T000000Z", year, []],
    ["DTSTART;VALUE=DATE:20261231\nDTEND;VALUE=DATE:20270103", year, [
      "2026-12-31 to 2027-01-02, all day",
    ]],
  ];
  const results = await eventsOfAll(rules.map(([lines, args]) => [eventOf(lines), args] as const));
  for (const [at, [lines, , expected]] of rules.entries()) {
    const { isError, text } = results[at]!;
    const found = times(text);
    expect({ lines, isError, found }).toEqual({ lines, isError: false, found: expected });
  }
});

Deno.test("calendar > a moved occurrence and a change of all later occurrences are applied", async () => {
  const series = `${PARIS}:20260302T090000\nDURATION:PT1H\nRRULE:FREQ=WEEKLY\nSUMMARY:Old`;
  const moved = "RECURRENCE-ID;TZID=Europe/Paris:20260601T090000\n" +
    `${PARIS}:20260311T150000\nDURATION:PT1H\nSUMMARY:Moved`;
  const future = "RECURRENCE-ID;RANGE=THISANDFUTURE;TZID=Europe/Paris:20260316T090000\n" +
    `${PARIS}:20260316T100000\nDURATION:PT2H\nSUMMARY:New`;
  const other = eventOf(series.replace("Old", "Other"), "v");
  const inner = [series, moved, future].map((lines) => eventOf(lines)).join("\n");
  const range = { from: "2026-03-08", to: "2026-03-25", time_zone: "Europe/Paris" };
  const { text } = await events(`${inner}\n${other}`, range);
  expect(text.split("\n").filter((line) => line.startsWith("-"))).toEqual([
    "- Mon 2026-03-09 09:00-10:00  Old (repeats)",
    "- Mon 2026-03-09 09:00-10:00  Other (repeats)",
    "- Wed 2026-03-11 15:00-16:00  Moved (changed)",
    "- Mon 2026-03-16 09:00-10:00  Other (repeats)",
    "- Mon 2026-03-16 10:00-12:00  New (changed)",
    "- Mon 2026-03-23 09:00-10:00  Other (repeats)",
    "- Mon 2026-03-23 10:00-12:00  New (changed)",
  ]);
});

const OWN_ZONE = `BEGIN:VTIMEZONE
TZID:House time
BEGIN:STANDARD
DTSTART:19701025T030000
RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU
TZOFFSETFROM:+0200
TZOFFSETTO:+0100
END:STANDARD
BEGIN:DAYLIGHT
DTSTART:19700329T020000
RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU
TZOFFSETFROM:+0100
TZOFFSETTO:+0200
END:DAYLIGHT
END:VTIMEZONE`;

Deno.test("calendar > times are converted from zones of the calendar, and unknown or missing zones are time_zone", async () => {
  const range = { from: "2026-03-28", to: "2026-03-30T12:00:00+00:00", time_zone: "Asia/Tokyo" };
  const daily = "RRULE:FREQ=DAILY;UNTIL=20260330T070000Z";
  const own = await events(
    `${OWN_ZONE}\n${eventOf(`DTSTART;TZID=House time:20260301T090000\n${daily}`)}`,
    range,
  );
  expect(times(own.text)).toEqual(["2026-03-28 17:00", "2026-03-29 16:00", "2026-03-30 16:00"]);
  const bare = await events(
    [eventOf("DTSTART:20260328T120000"), eventOf("DTSTART;TZID=Nowhere:20260328T130000")].join(
      "\n",
    ),
    range,
  );
  expect(times(bare.text)).toEqual(["2026-03-28 12:00", "2026-03-28 13:00"]);
  expect(bare.text).toContain(
    '[The time zone "Nowhere" is unknown: its times are read as Asia/Tokyo]',
  );
});

Deno.test("calendar > an exception excludes its day, whether it is written as a day or as a time", async () => {
  const june = { from: "2026-06-01", to: "2026-06-30", time_zone: "Europe/Berlin" };
  const weekly = "DTSTART;VALUE=DATE:20260601\nRRULE:FREQ=WEEKLY;COUNT=4";
  const night = "DTSTART;TZID=Asia/Tokyo:20260601T010000\nRRULE:FREQ=DAILY;COUNT=3";
  const withoutSecond = ["2026-06-01", "2026-06-15", "2026-06-22"].map((day) => `${day}, all day`);
  const utc = { ...june, time_zone: "UTC" };
  const rows: [lines: string, args: Record<string, unknown>, expected: string[]][] = [
    ...["America/New_York", "UTC", "Europe/Berlin"].flatMap((time_zone) =>
      [
        ";TZID=Europe/Berlin:20260608T000000",
        ":20260608T000000Z",
        ":20260608T000000",
        ":20260608",
        ";VALUE=DATE:20260608",
      ].map((exdate): typeof rows[number] => [
        `${weekly}\nEXDATE${exdate}`,
        { ...june, time_zone },
        withoutSecond,
      ])
    ),
    // 22:00 UTC is midnight in Berlin.
    [`${weekly}\nEXDATE:20260607T220000Z`, june, withoutSecond],
    // The day is meant in the time zone of the event.
    [
      `${night}\nEXDATE;VALUE=DATE:20260602`,
      utc,
      ["2026-06-02 16:00"],
    ],
  ];
  const results = await eventsOfAll(rows.map(([lines, args]) => [eventOf(lines), args] as const));
  for (const [at, [lines, , expected]] of rows.entries()) {
    expect([lines, times(results[at]!.text)]).toEqual([lines, expected]);
  }
});

Deno.test("calendar > a change of one day of a series is found by its day, also if it is written as a time", async () => {
  const series = "DTSTART;VALUE=DATE:20260601\nRRULE:FREQ=WEEKLY;COUNT=3";
  const change = (range: string) =>
    `RECURRENCE-ID${range};TZID=Europe/Berlin:20260608T000000\nDTSTART;VALUE=DATE:20260609`;
  const args = { from: "2026-06-01", to: "2026-06-30", time_zone: "America/New_York" };
  const results = await eventsOfAll(
    ["", ";RANGE=THISANDFUTURE"].map((range) =>
      [[series, change(range)].map((lines) => eventOf(lines)).join("\n"), args] as const
    ),
  );
  expect(results.map(({ text }) => times(text).map((time) => time.slice(0, 10)))).toEqual([
    ["2026-06-01", "2026-06-09", "2026-06-15"],
    ["2026-06-01", "2026-06-09", "2026-06-16"],
  ]);
});

Deno.test("calendar > names of zones with a prefix and names of Windows are known, and a zone of the calendar comes before them", async () => {
  const args = { from: "2026-07-01", to: "2026-07-02", time_zone: "UTC" };
  const at = (zone: string) => eventOf(`DTSTART;TZID=${zone}:20260701T120000`);
  const own = OWN_ZONE.replace("House time", "Tokyo Standard Time");
  const rows: [inner: string, hour: string][] = [
    [at("/Europe/Vienna"), "10:00"],
    [at("/example.org/20200101_1/America/Argentina/Salta"), "15:00"],
    [at("W. Europe Standard Time"), "10:00"],
    [at('"Eastern Standard Time"'), "16:00"],
    [at("Tokyo Standard Time"), "03:00"],
    [`${own}\n${at("Tokyo Standard Time")}`, "10:00"],
  ];
  const results = await eventsOfAll(rows.map(([inner]) => [inner, args] as const));
  expect(results.map(({ text }) => [...times(text), text.includes("unknown")]))
    .toEqual(rows.map(([, hour]) => [`2026-07-01 ${hour}`, false]));
});

Deno.test("calendar > an invalid line omits only its event, or nothing if no time depends on it", async () => {
  const args = { from: "2026-12-01", to: "2026-12-31" };
  const good = eventOf("DTSTART:20261201T090000Z\nSUMMARY:Good");
  const rows: [lines: string, note: string][] = [
    ["DTSTART:20261202T090000Z\nRRULE:FREQ=WEEKLY;BYDAY=XX", "RRULE:FREQ=WEEKLY;BYDAY=XX"],
    ["DTSTART:20261202T090000Z\nRRULE:FREQ=NEVER", "RRULE:FREQ=NEVER"],
    ['DTSTART;TZID="Europe/Paris:20261202T090000', 'DTSTART;TZID=\\"Europe/Paris:20261202T090000'],
  ];
  const harmless = 'DTSTART:20261203T090000Z\nSUMMARY:Lines\nno colon here\nATTENDEE;CN="a:b';
  const results = await eventsOfAll([
    ...rows.map(([lines]) => [`${eventOf(`SUMMARY:Bad\n${lines}`)}\n${good}`, args] as const),
    [`${eventOf(harmless)}\n${good}`, args],
  ]);
  for (const [at, [, note]] of rows.entries()) {
    const { text } = results[at]!;
    expect(times(text)).toEqual(["2026-12-01 09:00"]);
    expect(text).toContain(`[The event "Bad" is omitted: this line is invalid: "${note}"]`);
  }
  expect(times(results.at(-1)!.text)).toEqual(["2026-12-01 09:00", "2026-12-03 09:00"]);
});

Deno.test("calendar > a date without VALUE=DATE is a whole day", async () => {
  const args = { from: "2026-12-24", to: "2026-12-31" };
  const [day, days] = await eventsOfAll([
    [eventOf("DTSTART:20261225"), args],
    [eventOf("DTSTART:20261225\nDTEND:20261227"), args],
  ]);
  expect(times(day!.text)).toEqual(["2026-12-25, all day"]);
  expect(times(days!.text)).toEqual(["2026-12-25 to 2026-12-26, all day"]);
});

Deno.test("calendar > a line that is folded inside a character is joined before it is decoded", async () => {
  using directory = temporaryDirectory();
  const path = `${directory.path}/folded.ics`;
  const text = calendarOf(eventOf("DTSTART:20261225T090000Z\nSUMMARY:Caf|é ou th|é"));
  const bytes = new TextEncoder().encode(text);
  // Each "|" stands for a fold after the first byte of the next character.
  const folded = [...bytes].flatMap((byte, at) =>
    byte === 0x7c ? [] : bytes[at - 1] === 0x7c ? [byte, 13, 10, 32] : [byte]
  );
  Deno.writeFileSync(path, new Uint8Array(folded));
  const flags = [`--allow-read=${directory.path}`];
  const found = await call("calendar", { path, from: "2026-12-25" }, { flags });
  expect(found.text).toContain("09:00  Café ou thé");
});

Deno.test("calendar > strings are unfolded and unescaped, and control characters are shown as escapes", async () => {
  const { text } = await events(
    eventOf(
      "DTSTART:20260301T090000Z\nSUMMARY:A\\, b\n  and \u001b[31mc\u202e\nLOCATION:x\\ny\n" +
        `STATUS:CANCELLED\nDESCRIPTION:${"d".repeat(900)}`,
    ),
    { from: "2026-03-01", to: "2026-03-01" },
  );
  expect(text).toContain(
    "- Sun 2026-03-01 09:00  A, b and \\u001b[31mc\\u202e (cancelled)\n  Where: x y\n" +
      `  ${"d".repeat(500)}…`,
  );
});

Deno.test("calendar > many events, endless rules and invalid events are limited and reported", async () => {
  const range = { from: "2026-01-01", to: "2026-01-31", limit: 3 };
  const endless = await events(eventOf("DTSTART:20200101T000000Z\nRRULE:FREQ=HOURLY"), range);
  expect(times(endless.text).length).toBe(3);
  expect(endless.text).toContain("More than 3 events from");
  expect(endless.text).toContain("[Only the first 3 are shown: give a shorter range");
  const odd = await events(
    [
      ...["SUMMARY:No start", "DTSTART:20260199T990000Z\nSUMMARY:Odd"].map((each) => eventOf(each)),
      eventOf("DTSTART:20200101T000000Z\nRRULE:FREQ=SECONDLY\nSUMMARY:Ticks"),
      eventOf("DTSTART:20260102T000000Z\nSUMMARY:Good"),
    ].join("\n"),
    range,
  );
  expect([odd.isError, times(odd.text)]).toEqual([false, ["2026-01-02 00:00"]]);
  expect(odd.text).toContain("is omitted: it has no DTSTART");
  expect(odd.text).toContain('The event "Ticks" is omitted: ');
  const many = Array.from(
    { length: 20_000 },
    (_, at) => eventOf("DTSTART;TZID=Europe/Paris:20260102T000000\nSUMMARY:One", `u${at}`),
  );
  const all = await events(many.join("\n"), range);
  expect(all.text).toContain("20,000 entries in the calendar");
});

Deno.test("calendar > an invalid calendar, an invalid argument and a symlink are refused", async () => {
  const wrong: [inner: string, args: Record<string, unknown>, expected: string][] = [
    ["VCALENDAR is not here", {}, "Cannot read the calendar: it does not begin with BEGIN:VC"],
    ["<?xml version='1.0'?><!-- VCALENDAR -->", {}, "it does not begin with BEGIN:VCALENDAR"],
    ["BEGIN:VCALENDAR\nX-WR-CALNAME:Cut", {}, "component began but did not end"],
    ["", { from: "soon" }, 'Cannot read from "soon": give a date such as 2026-01-31'],
    ["", { from: "2026-02-01", to: "2026-01-01" }, "that is not after from"],
    [`BEGIN:VCALENDAR${" ".repeat(11 * 1024 * 1024)}`, {}, "the calendar is larger than 10 MiB"],
  ];
  for (const [inner, args, expected] of wrong) {
    const { exit, text } = await events(inner, args);
    expect({ expected, exit, text: text.includes(expected) ? expected : text })
      .toEqual({ expected, exit: 1, text: expected });
  }
  using directory = temporaryDirectory();
  Deno.symlinkSync("/etc/passwd", `${directory.path}/link.ics`);
  const link = await call("calendar", { path: `${directory.path}/link.ics` }, {
    flags: [`--allow-read=${directory.path}`],
  });
  expect(link.exit).toBe(6);
});

Deno.test("calendar > a calendar is fetched from the web, and from this machine only if a flag names it", async () => {
  const text = calendarOf(eventOf("DTSTART:20260301T090000Z\nSUMMARY:Far"));
  await using server = countingServer(() => new Response(text));
  const url = `http://${server.host}/c.ics`;
  const args = { url, from: "2026-03-01" };
  const found = await call("calendar", args, { flags: [`--allow-net=${server.host}`] });
  expect(found.text).toContain("Sun 2026-03-01 09:00  Far");
  expect((await call("calendar", args, { flags: ["--allow-net"] })).exit).toBe(6);
  expect(server.requests.map(({ headers }) => headers.get("accept")?.split(",")[0]))
    .toEqual(["text/calendar"]);
});

Deno.test("calendar > a call for a file has no network, and a call for a URL reads no files", async () => {
  using directory = temporaryDirectory();
  const path = `${directory.path}/c.ics`;
  Deno.writeTextFileSync(path, calendarOf(""));
  const describeConfinement = async (args: Record<string, unknown>) => {
    const flags = [`--allow-read=${directory.path}`, "--allow-net=127.0.0.1:9"];
    const run = await toolcall(["check", "calendar", JSON.stringify(args), ...flags]);
    const { sandbox } = oneLine(run) as { sandbox: { runtime: { read: string[]; net: string[] } } };
    return sandbox.runtime;
  };
  const fileCall = await describeConfinement({ path });
  expect([fileCall.read.includes(directory.path), fileCall.net]).toEqual([true, []]);
  const webCall = await describeConfinement({ url: "http://127.0.0.1:9/c.ics" });
  expect([webCall.read.includes(directory.path), webCall.net.length]).toEqual([false, 1]);
  const elsewhere = await call("calendar", { path }, { flags: ["--allow-net"] });
  expect(elsewhere.exit).toBe(6);
});
