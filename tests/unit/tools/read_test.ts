import { expect } from "@std/expect";
import { png, type PngOptions, smallImages } from "../../support/images.ts";
import read from "../../../tools/read.ts";
import { scratchDirectory } from "../../support/scratch_directory.ts";
import { contextFor } from "../../support/tool_context.ts";
import { nextTurn } from "../../support/wait.ts";
import { bytes, call, failure, type Input, textOf } from "./read_calls.ts";

Deno.test("read > the lines are shown, with notes on their format", async (t) => {
  using directory = scratchDirectory();
  const path = `${directory.path}/file`;
  const rows: [name: string, content: Uint8Array, input: Input, shown: string][] = [
    ["plain lines", bytes("a\nb\n"), {}, "     1\ta\n     2\tb\n"],
    ["a lone newline", bytes("\n"), {}, "     1\t\n"],
    ["empty", bytes(""), {}, "[The file is empty]"],
    [
      "no final newline",
      bytes("a\nb"),
      {},
      "     1\ta\n     2\tb\n\n[No newline at the end of the file]",
    ],
    ["CRLF", bytes("a\r\nb\r\n"), {}, "     1\ta\n     2\tb\n\n[Line endings are CRLF]"],
    [
      "mixed",
      bytes("a\r\nb\n"),
      {},
      "     1\ta\n     2\tb\n\n[Line endings are mixed: CRLF and LF]",
    ],
    [
      "lone CR",
      bytes("a\rb\n"),
      {},
      "     1\ta\rb\n\n[Carriage returns without a line feed (\\r) are part of their lines]",
    ],
    ["BOM", bytes("\ufeffa\n"), {}, "     1\ta\n\n[The file starts with a UTF-8 byte order mark]"],
    [
      "invalid UTF-8",
      bytes("caf", 0xe9, " ole ole\n"),
      {},
      "     1\tcaf\ufffd ole ole\n\n[Not all of it is valid UTF-8: wrong bytes are shown as \ufffd]",
    ],
    ["a true U+FFFD", bytes("a \ufffd replacement\n"), {}, "     1\ta \ufffd replacement\n"],
    [
      "a window",
      bytes("a\nb\nc\nd\n"),
      { offset: 2, limit: 2 },
      "     2\tb\n     3\tc\n\n[Shown up to line 3 of 4 lines, 8 bytes in all. To continue: offset 4]",
    ],
    ["the rest", bytes("a\nb\nc\n"), { offset: 3, limit: 9 }, "     3\tc\n"],
    ["colors", bytes("\x1b[31mred\x1b[0m\n"), {}, "     1\t\x1b[31mred\x1b[0m\n"],
    [
      "a text that begins with GIF89a",
      bytes("GIF89a is a format\n"),
      {},
      "     1\tGIF89a is a format\n",
    ],
  ];
  for (const [name, content, input, shown] of rows) {
    await t.step(name, async () => {
      Deno.writeFileSync(path, content);
      expect(await textOf(path, input)).toBe(shown);
    });
  }
});

Deno.test("read > an offset past the end is an error with the number of lines", async () => {
  using directory = scratchDirectory();
  const path = `${directory.path}/file`;
  Deno.writeTextFileSync(path, "a\nb\nc");
  expect(await failure(path, { offset: 4 })).toBe(
    `Cannot read "${path}" from line 4: the file has 3 lines`,
  );
  expect(await failure(path, { offset: 1e12 })).toContain(
    "from line 1000000000000: the file has 3 lines",
  );
  expect(await textOf(path, { offset: 3 })).toContain("     3\tc\n");
  Deno.writeTextFileSync(path, "");
  expect(await failure(path, { offset: 2 })).toContain("the file is empty");
});

Deno.test("read > 2,000 lines are shown, and the named offset continues", async () => {
  using directory = scratchDirectory();
  const path = `${directory.path}/file`;
  Deno.writeTextFileSync(path, Array.from({ length: 4321 }, (_, i) => `line ${i + 1}\n`).join(""));
  const first = await textOf(path);
  expect(first).toContain("  2000\tline 2000\n");
  expect(first).not.toContain("line 2001");
  expect(first).toContain(
    "[Shown up to line 2,000 of 4,321 lines, 41.1 KiB in all. To continue: offset 2001]",
  );
  expect(await textOf(path, { offset: 2001 })).toContain("To continue: offset 4001");
  expect(await textOf(path, { offset: 4001 })).toMatch(/line 4321\n$/);
});

Deno.test("read > a result has at most 50 KiB of complete lines", async (t) => {
  using directory = scratchDirectory();
  const path = `${directory.path}/file`;
  // Each call reads the file from its start, so fewer of the longest lines are enough.
  const rows: [line: string, count: number][] = [
    ["x".repeat(99), 1500],
    ["é".repeat(700), 1500],
    ["𝒳".repeat(2000), 150],
  ];
  for (const [line, count] of rows) {
    await t.step(`lines of ${line.length} units`, async () => {
      Deno.writeTextFileSync(path, `${line}\n`.repeat(count));
      let next = 1;
      let calls = 0;
      for (; next > 0; calls++) {
        const text = await textOf(path, { offset: next });
        expect(new TextEncoder().encode(text).length).toBeLessThanOrEqual(50 * 1024);
        const shown = text.split("\n").filter((row) => /^ *\d+\t/.test(row));
        expect(shown.every((row) => row.endsWith(`\t${line}`))).toBe(true);
        expect(shown[0]).toBe(`${String(next).padStart(6)}\t${line}`);
        next += shown.length;
        const offset = /To continue: offset (\d+)/.exec(text)?.[1];
        if (!offset) break;
        expect(text).toContain("50 KiB is the maximum per call");
        expect(Number(offset)).toBe(next);
      }
      expect(next).toBe(count + 1);
      expect(calls).toBeGreaterThan(2);
    });
  }
});

Deno.test("read > a line is cut after 2,000 characters, and the number of missing ones is shown", async (t) => {
  using directory = scratchDirectory();
  const path = `${directory.path}/file`;
  const rows: [line: string, missing: string | undefined][] = [
    ["x".repeat(2000), undefined],
    ["x".repeat(2001), "1 character"],
    ["𝒳".repeat(2000), undefined],
    ["𝒳".repeat(2001), "1 character"],
    ["é".repeat(4000), "2,000 characters"],
    ["x".repeat(300_000), "298,000 characters"],
    ["€".repeat(100_000), "98,000 characters"],
  ];
  for (const [line, missing] of rows) {
    for (const end of ["\n", "\r\n", ""]) {
      await t.step(`${line.length} of ${line.slice(0, 2)}${JSON.stringify(end)}`, async () => {
        Deno.writeTextFileSync(path, `before\n${line}${end}`);
        const text = await textOf(path);
        const kept = [...line].slice(0, 2000).join("");
        expect(text).toContain(`     2\t${kept}${missing ? ` [... ${missing} cut]` : ""}\n`);
        expect(text.includes("1 line cut after 2,000 characters")).toBe(missing !== undefined);
      });
    }
  }
});

Deno.test("read > J6 a file that grows is read up to its size at the start", async () => {
  using directory = scratchDirectory();
  const path = `${directory.path}/file`;
  Deno.writeTextFileSync(path, "0 line\n".repeat(20_000));
  using file = Deno.openSync(path, { append: true });
  const growing = setInterval(() => file.writeSync(bytes("more\n".repeat(10_000))), 0);
  try {
    const text = await textOf(path, { offset: 20_000, limit: 1 });
    expect(text).toContain(" 20000\t0 line\n");
  } finally {
    clearInterval(growing);
  }
});

Deno.test("read > the read stops when the call is canceled", async () => {
  using directory = scratchDirectory();
  const path = `${directory.path}/file`;
  Deno.writeTextFileSync(path, "text\n".repeat(1000));
  Deno.truncateSync(path, 2 ** 41);
  const stop = new AbortController();
  const args = { file_path: path, offset: 1e9, limit: 1 };
  const running = Promise.resolve(read.run(args, contextFor("/", { signal: stop.signal })));
  await nextTurn();
  stop.abort(new DOMException("cancelled", "AbortError"));
  const error = await running.catch((error) => error);
  expect(error.name).toBe("AbortError");
});

Deno.test("read > other binary files are refused, and the error names their type", async (t) => {
  using directory = scratchDirectory();
  const path = `${directory.path}/file.txt`;
  const rows: [content: Uint8Array, kind: string][] = [
    [bytes(0x1f, 0x8b, 8, 0, 0, 0, 0, 0), "a gzip archive, 8 bytes"],
    [bytes("PK\x03\x04\x14\0\0\0"), "a zip archive"],
    [bytes("\x7fELF\x02\x01\x01\0"), "an ELF program or library"],
    [bytes("SQLite format 3\0"), "an SQLite database"],
    [bytes("\0asm\x01\0\0\0"), "a WebAssembly module"],
    [bytes(0xff, 0xfe, 0, 0, "h", 0, 0, 0), "UTF-32 text"],
    [bytes("a text with a NUL\0 in it"), "a binary file (it contains NUL bytes)"],
    [
      bytes("aaaaaa", 1, 2, 3, 4),
      "a binary file (more than 30 % of its first 4 KiB is not printable UTF-8 text)",
    ],
  ];
  for (const [content, kind] of rows) {
    await t.step(kind, async () => {
      Deno.writeFileSync(path, content);
      expect(await failure(path)).toContain(`Cannot read "${path}": it is ${kind}`);
    });
  }
  await t.step("a file in another encoding", async () => {
    Deno.writeFileSync(path, bytes(...[0xd5, 0xe2, 0xca, 0xc7, 0xd2, 0xbb, 0xb8, 0xf6], "\n"));
    expect(await failure(path)).toContain(
      "convert it first, such as with iconv -f GB18030 -t UTF-8)",
    );
  });
  await t.step("a file with 30 % of unprintable bytes is still text", async () => {
    Deno.writeFileSync(path, bytes("aaaaaaa", 1, 2, 3));
    expect(await textOf(path)).toContain("aaaaaaa\x01\x02\x03");
  });
  await t.step("a NUL after the first 4 KiB is still text", async () => {
    Deno.writeFileSync(path, bytes("x".repeat(4096), 0, "\n"));
    expect(await textOf(path)).toContain("characters cut]");
  });
  await t.step("a character across the first 4 KiB is valid", async () => {
    Deno.writeFileSync(path, bytes("x".repeat(4095), "é\n"));
    expect(await textOf(path)).not.toContain("UTF-8");
  });
});

Deno.test("read > images are recognized by their content and returned as blocks", async (t) => {
  using directory = scratchDirectory();
  const path = `${directory.path}/picture.txt`;
  const images = await smallImages();
  for (const { name, content, mimeType, size } of images) {
    await t.step(name, async () => {
      Deno.writeFileSync(path, content);
      const [image, text] = await call(path);
      expect(image).toEqual({ type: "image", data: content.toBase64(), mimeType });
      expect(text).toMatchObject({ text: `[${name}, ${size}, ${content.length} bytes]` });
    });
    await t.step(`${name}, cut short`, async () => {
      for (const length of [content.length - 2, Math.ceil(content.length / 2)]) {
        Deno.writeFileSync(path, content.subarray(0, length));
        expect(await failure(path)).toMatch(/image, but it is (truncated|damaged)$/);
      }
    });
  }
  await t.step("a JPEG with a comment that looks like text", async () => {
    const { content } = images.find(({ name }) => name === "JPEG image")!;
    const comment = [0xff, 0xfe, 0x21, 0x21, ...new Array(0x2121 - 2).fill(0x20)];
    Deno.writeFileSync(
      path,
      Uint8Array.from([...content.slice(0, 2), ...comment, ...content.slice(2)]),
    );
    expect((await call(path))[1]).toMatchObject({ text: "[JPEG image, 30 × 20, 8.3 KiB]" });
    Deno.writeTextFileSync(path, "GIF89a is a format\n");
    expect((await call(path))[0]).toMatchObject({ type: "text" });
  });
  await t.step("a wrong byte in a PNG", async () => {
    const wrong = (await png({ width: 20, height: 20 })).slice();
    wrong[50]! ^= 1;
    Deno.writeFileSync(path, wrong);
    expect(await failure(path)).toContain("it is a PNG image, but it is damaged");
  });
  await t.step("an image of more than 64 MiB", async () => {
    Deno.writeFileSync(path, images[0]!.content);
    Deno.truncateSync(path, (64 << 20) + 1);
    expect(await failure(path)).toContain("an image of more than 64.0 MiB is not shown");
  });
});

Deno.test("read > images that the APIs of models refuse are scaled down", async (t) => {
  using directory = scratchDirectory();
  const path = `${directory.path}/picture.png`;
  const rows: [what: string, options: PngOptions, text: RegExp][] = [
    [
      "too many pixels per side",
      { width: 9_000, height: 900 },
      /^\[PNG image, 9000 × 900, [\d.]+ KiB; scaled to 2000 × 200\]$/,
    ],
    ["a narrow image", { width: 30, height: 20_000 }, /30 × 20000, .*; scaled to 3 × 2000\]$/],
    [
      "too many bytes",
      { width: 1_310, height: 1_310, isNoise: true },
      /^\[PNG image, 1310 × 1310, 4.9 MiB; scaled to 1310 × 1310 as JPEG\]$/,
    ],
  ];
  for (const [what, options, expected] of rows) {
    await t.step(what, async () => {
      Deno.writeFileSync(path, await png(options));
      const [image, text] = await call(path);
      expect(text?.type === "text" && text.text).toMatch(expected);
      if (image?.type !== "image") throw new Error("no image");
      expect(image.data.length).toBeLessThanOrEqual(5_242_880);
      // The scaled image is not scaled again.
      Deno.writeFileSync(path, Uint8Array.fromBase64(image.data));
      const again = await call(path);
      expect(again[0]).toEqual(image);
      expect(JSON.stringify(again[1])).not.toContain("scaled");
    });
  }
  await t.step("more than a hundred million pixels", async () => {
    Deno.writeFileSync(path, await png({ width: 20_000, height: 5_100, isHollow: true }));
    expect(await failure(path)).toContain(
      "it has 20000 × 5100 pixels, and images of more than 100,000,000",
    );
  });
});

Deno.test("read > directories, pipes, devices and sockets are refused", async (t) => {
  using directory = scratchDirectory();
  const fifo = `${directory.path}/fifo`;
  expect(new Deno.Command("mkfifo", { args: [fifo] }).outputSync().success).toBe(true);
  Deno.symlinkSync(fifo, `${directory.path}/link`);
  const rows: [path: string, why: string][] = [
    [directory.path, "it is a directory"],
    [fifo, "it is a named pipe (FIFO)"],
    [`${directory.path}/link`, "it is a named pipe (FIFO)"],
    ["/dev/zero", "it is a device"],
    ["/dev/null", "it is a device"],
    ["/", "it is a directory"],
  ];
  for (const [path, why] of rows) {
    await t.step(
      path,
      async () => expect(await failure(path)).toContain(`Cannot read "${path}": ${why}`),
    );
  }
  await t.step("a socket", async () => {
    const path = `${directory.path}/socket`;
    using _listener = Deno.listen({ transport: "unix", path });
    expect(await failure(path)).toContain("it is a socket");
  });
});

Deno.test({
  name: "read > a file that reports the size 0 is read",
  ignore: Deno.build.os !== "linux",
  async fn() {
    expect(await textOf("/proc/self/status")).toContain("     1\tName:\t");
  },
});

Deno.test("read > the error for a missing file names similar siblings", async (t) => {
  using directory = scratchDirectory();
  const at = (name: string) => `${directory.path}/${name}`;
  for (
    const name of [
      "hello.txt",
      "Hello.md",
      "helo.txt",
      "other.txt",
      "re\u0301sume\u0301.md",
      "a\u202fb.png",
    ]
  ) {
    Deno.writeTextFileSync(at(name), "");
  }
  const rows: [name: string, end: string][] = [
    ["hllo.txt", `similar: "${at("hello.txt")}", "${at("helo.txt")}"`],
    ["hello.tx", `similar: "${at("hello.txt")}", "${at("Hello.md")}", "${at("helo.txt")}"`],
    ["OTHER.TXT", `similar: "${at("other.txt")}"`],
    ["r\u00e9sum\u00e9.md", `another Unicode form; use "${at("re\\u0301sume\\u0301.md")}"`],
    ["a b.png", `similar: "${at("a\\u202fb.png")}"`],
    ["nothing-like-it", `"${at("nothing-like-it")}": no such file`],
    ["no/such/file", `no such file; its directory "${at("no/such")}" does not exist either`],
    ["hello.txt/x", "a part of the path is a file, not a directory"],
  ];
  for (const [name, end] of rows) {
    await t.step(name, async () => {
      const message = await failure(at(name));
      expect(message.slice(-end.length)).toBe(end);
    });
  }
  await t.step("only files that may be read are named", async () => {
    const context = contextFor("/", { mayRead: (path) => !path.endsWith("hello.txt") });
    const running = Promise.resolve(
      read.run({ file_path: at("hllo.txt"), offset: 1, limit: 1 }, context),
    );
    const { message } = await running.catch((error) => error);
    expect(message).toContain('helo.txt"');
    expect(message).not.toContain('hello.txt"');
  });
  await t.step("no file is named if the directory may not be read", async () => {
    const context = contextFor("/", { mayRead: () => false });
    const running = Promise.resolve(
      read.run({ file_path: at("hllo.txt"), offset: 1, limit: 1 }, context),
    );
    expect((await running.catch((error) => error)).message).toBe(
      `Cannot read "${at("hllo.txt")}": no such file`,
    );
  });
});

Deno.test("read > odd paths are literal, or refused with a clear error", async (t) => {
  using directory = scratchDirectory();
  const names = ["a%20b", "~", "$HOME", 'quo"te ', "tab\t", "new\nline", "esc\x1b[31m", "a\u00a0b"];
  for (const name of names) {
    await t.step(JSON.stringify(name), async () => {
      Deno.writeTextFileSync(`${directory.path}/${name}`, "found\n");
      expect(await textOf(`${directory.path}/${name}`)).toBe("     1\tfound\n");
    });
  }
  const refused: [path: string, why: string][] = [
    ["/a\0b", 'Cannot use the path "/a\\u0000b": it contains a NUL character'],
    [`/tmp/${"n".repeat(256)}`, "has 256 bytes, and a name has 255 at most"],
    [`/tmp/${"é".repeat(128)}`, "has 256 bytes, and a name has 255 at most"],
    ["/x".repeat(2500), "it has 5,000 bytes, and a path has 4,096 at most"],
    [`${directory.path}/..%2f..%2fetc`, "no such file"],
    [`${directory.path}/C:\\x`, "no such file"],
    [`${directory.path}/missing\x1b[2J\n`, "missing\\u001b[2J\\n"],
  ];
  for (const [path, why] of refused) {
    await t.step(why, async () => {
      const message = await failure(path);
      expect(message).toContain(why);
      // deno-lint-ignore no-control-regex
      expect(message.replace(/^Invalid arguments for "Read":\n/, "")).not.toMatch(/[\x00-\x1f]/);
    });
  }
  await t.step("links that form a loop", async () => {
    Deno.symlinkSync(`${directory.path}/loop`, `${directory.path}/loop`);
    expect(await failure(`${directory.path}/loop`)).toContain(
      "its symbolic links form a loop",
    );
  });
});
