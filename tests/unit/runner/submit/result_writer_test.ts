import { expect } from "@std/expect";
import { ResultWriter } from "../../../../src/runner/submit/result_writer.ts";
import { nextTurn } from "../../../support/wait.ts";

/** Returns an output whose writes end when the test calls `take`. */
function slowOutput() {
  const writes: string[] = [];
  let takeNext = () => {};
  let fail = (_error: Error) => {};
  return {
    writes,
    writeSync: () => 0,
    take: () => takeNext(),
    fail: (error: Error) => fail(error),
    write(data: Uint8Array): Promise<number> {
      writes.push(new TextDecoder().decode(data));
      return new Promise((resolve, reject) => {
        takeNext = () => resolve(data.length);
        fail = reject;
      });
    },
  };
}

/** Returns an output that completes every write at once. */
function textOutput() {
  const output = {
    text: "",
    writeSync: () => 0,
    write(data: Uint8Array): Promise<number> {
      output.text += new TextDecoder().decode(data);
      return Promise.resolve(data.length);
    },
  };
  return output;
}

/** Accepts no result at once, so that the test decides when a write ends. */
const pipes = { write: () => 0 };

Deno.test("result writer > all lines that are ready are written at once", async () => {
  const output = slowOutput();
  const writer = new ResultWriter(output, { isOrdered: false, pipes, onRoom() {} });
  const lines = [writer.open(), writer.open(), writer.open()];
  lines[2]!.print("c\n");
  lines[0]!.print("a\n");
  await nextTurn();
  expect(output.writes).toEqual(["c\na\n"]);
  lines[1]!.print("b\n");
  lines[1]!.print("b2\n");
  await nextTurn();
  expect(output.writes).toHaveLength(1);
  output.take();
  await nextTurn();
  expect(output.writes).toEqual(["c\na\n", "b\nb2\n"]);
  output.take();
  await writer.flush();
});

Deno.test("result writer > a line waits for all lines before it when the order matters", async () => {
  const sink = textOutput();
  const writer = new ResultWriter(sink, { isOrdered: true, pipes, onRoom() {} });
  const [first, second, third] = [writer.open(), writer.open(), writer.open()];
  third.print("3\n");
  third.end();
  second.print("2\n");
  await writer.flush();
  expect(sink.text).toBe("");
  first.print("1\n");
  await writer.flush();
  expect(sink.text).toBe("1\n");
  first.end();
  await writer.flush();
  expect(sink.text).toBe("1\n2\n");
  second.print("2b\n");
  second.end();
  await writer.flush();
  expect(sink.text).toBe("1\n2\n2b\n3\n");
});

Deno.test("result writer > reserved lines come between the lines before and after them when the order matters", async () => {
  for (const isOrdered of [true, false]) {
    const sink = textOutput();
    const writer = new ResultWriter(sink, { isOrdered, pipes, onRoom() {} });
    const [before, reserved, after] = [writer.open(), writer.reserve(), writer.open()];
    after.print("after\n");
    after.end();
    const [first, second] = [reserved.open(), reserved.open()];
    second.print(new TextEncoder().encode("2, ü\n3\n"));
    second.end();
    first.print("1\n");
    first.end();
    before.end();
    await writer.flush();
    // More reserved lines may follow.
    expect(sink.text).toBe(isOrdered ? "1\n2, ü\n3\n" : "after\n2, ü\n3\n1\n");
    reserved.end();
    await writer.flush();
    expect(sink.text).toBe(isOrdered ? "1\n2, ü\n3\nafter\n" : "after\n2, ü\n3\n1\n");
  }
});

Deno.test("result writer > the writer is full while its reader is far behind, also with lines that wait for others", async () => {
  for (const isOrdered of [false, true]) {
    const output = slowOutput();
    let rooms = 0;
    const writer = new ResultWriter(output, { isOrdered, pipes, onRoom: () => void rooms++ });
    const [first, second] = [writer.open(), writer.open()];
    second.print("x".repeat(2 ** 20));
    expect(writer.isFull).toBe(false);
    second.print("x");
    expect(writer.isFull).toBe(true);
    second.end();
    first.end();
    await nextTurn();
    expect([writer.isFull, rooms]).toEqual([true, 0]);
    output.take();
    await nextTurn();
    expect([writer.isFull, rooms]).toEqual([false, 1]);
  }
});

Deno.test("result writer > a closed output ends the writer without an error, and another failure is reported", async () => {
  const failures: [error: Error, says: string | undefined][] = [
    [new Deno.errors.BrokenPipe("Broken pipe (os error 32)"), undefined],
    [new Error("No space left on device (os error 28)"), "Cannot write the results: No space"],
  ];
  for (const [error, says] of failures) {
    const output = slowOutput();
    let wasClosed = false;
    const writer = new ResultWriter(output, {
      isOrdered: false,
      pipes,
      onRoom: () => wasClosed = writer.isClosed,
    });
    const line = writer.open();
    line.print("a\n");
    await nextTurn();
    output.fail(error);
    const failure = await writer.flush().then(() => undefined, (each) => each.message);
    expect(wasClosed).toBe(true);
    if (says === undefined) expect(failure).toBeUndefined();
    else expect(failure).toContain(says);
    line.print("b\n");
    await nextTurn();
    expect(output.writes).toEqual(["a\n"]);
  }
});
