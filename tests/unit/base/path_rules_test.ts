/** The rules of paths on Windows and on Linux, as tables. Both tables run on every machine. */
import { expect } from "@std/expect";
import { posixPaths, windowsPaths } from "../../../src/base/fs/path_rules.ts";

const resolved: readonly [base: string, path: string, expected: string][] = [
  ["C:\\Users\\me", "a.txt", "C:/Users/me/a.txt"],
  ["C:\\Users\\me", "src\\a.ts", "C:/Users/me/src/a.ts"],
  ["C:\\Users\\me", "src/a.ts", "C:/Users/me/src/a.ts"],
  ["C:\\Users\\me", ".", "C:/Users/me"],
  ["C:\\Users\\me", "", "C:/Users/me"],
  ["C:\\Users\\me", ".\\.\\a", "C:/Users/me/a"],
  ["C:\\Users\\me", "..\\you\\a", "C:/Users/you/a"],
  ["C:\\Users\\me", "..\\..\\..\\..\\a", "C:/a"],
  ["C:\\Users\\me", "\\Windows\\x.ini", "C:/Windows/x.ini"],
  ["C:\\Users\\me", "/Windows/x.ini", "C:/Windows/x.ini"],
  ["C:\\Users\\me", "D:\\data", "D:/data"],
  ["C:\\Users\\me", "d:/data//x\\", "D:/data/x"],
  ["c:/Users/me", "a", "C:/Users/me/a"],
  ["C:\\", "a", "C:/a"],
  ["C:\\", ".", "C:/"],
  ["C:\\Users\\me", "~\\a", "C:/Users/me/~/a"],
  ["C:\\Users\\me", "$HOME\\%TEMP%", "C:/Users/me/$HOME/%TEMP%"],
  ["C:\\Users\\me", "console.log", "C:/Users/me/console.log"],
  ["C:\\Users\\me", "COM10", "C:/Users/me/COM10"],
  ["C:\\Users\\me", "nul1.txt", "C:/Users/me/nul1.txt"],
  ["C:\\Users\\me", "PROGRA~1", "C:/Users/me/PROGRA~1"],
  ["C:\\Users\\me", ".gitignore", "C:/Users/me/.gitignore"],
  ["C:\\Users\\me", "Straße\\é 😀.txt", "C:/Users/me/Straße/é 😀.txt"],
];
for (const [base, path, expected] of resolved) {
  Deno.test(`Windows paths > ${JSON.stringify(path)} resolves to ${expected}`, () => {
    expect(windowsPaths.resolve(base, path)).toBe(expected);
  });
}

const refused: readonly [path: string, why: string][] = [
  ...["NUL", "nul", "CON", "con.txt", "a\\AUX", "AUX.tar.gz", "PRN", "COM1", "com9.log", "LPT3"]
    .map((path) => [path, "names a device"] as [string, string]),
  ...["COM\u00b9", "LPT\u00b2.txt", "CONIN$", "conout$", "NUL .txt", "C:\\x\\NUL", "NUL:"]
    .map((path) => [path, "names a device"] as [string, string]),
  ["C:a.txt", "relative to a directory of the drive"],
  ["C:", "relative to a directory of the drive"],
  ["\\\\?\\C:\\a", "it names a device"],
  ["\\\\.\\PhysicalDrive0", "it names a device"],
  ["//./pipe/x", "it names a device"],
  ["\\??\\C:\\a", "it names a device"],
  ["\\\\server\\share\\a", "on another machine"],
  ["\\\\localhost\\C$\\Users", "on another machine"],
  ["//127.0.0.1/c$", "on another machine"],
  ["a.txt:stream", "names a stream of a file"],
  [".git::$INDEX_ALLOCATION", "names a stream of a file"],
  ["x\\a:b", "names a stream of a file"],
  [".git.", "drops the dot or blank"],
  [".git ", "drops the dot or blank"],
  [".git .\\config", "drops the dot or blank"],
  ["...", "drops the dot or blank"],
  ["a?", "a character that Windows does not allow"],
  ["a*", "a character that Windows does not allow"],
  ['a"b', "a character that Windows does not allow"],
  ["a|b", "a character that Windows does not allow"],
  ["<a>", "a character that Windows does not allow"],
  ["a\u0000b", "a character that Windows does not allow"],
  ["a\nb", "a character that Windows does not allow"],
];
for (const [path, why] of refused) {
  Deno.test(`Windows paths > ${JSON.stringify(path)} is refused`, () => {
    expect(() => windowsPaths.resolve("C:\\Users\\me", path)).toThrow(why);
  });
}

const inside: readonly [path: string, directory: string, isInside: boolean][] = [
  ["C:/Users/me/a", "C:/Users/me", true],
  ["C:/Users/me", "C:/Users/me", true],
  ["c:/users/ME/A", "C:/Users/me", true],
  ["C:\\Users\\me\\a", "C:/Users/me", true],
  ["C:/Users/meow", "C:/Users/me", false],
  ["C:/Users", "C:/Users/me", false],
  ["D:/Users/me", "C:/Users/me", false],
  ["C:/a", "C:/", true],
  ["C:/", "C:/", true],
  ["C:/ÉTÉ", "C:/été", true],
  ["C:/STRASSE", "C:/Straße", false],
  ["//server/share/a", "//SERVER/share", true],
  ["//server/share/a", "//server/share/", true],
  ["//server/share2/a", "//server/share", false],
  ["//server/share/a", "C:/", false],
];
for (const [path, directory, expected] of inside) {
  Deno.test(`Windows paths > ${path} is ${expected ? "" : "not "}inside ${directory}`, () => {
    expect(windowsPaths.isInside(path, directory)).toBe(expected);
  });
}

Deno.test("Windows paths > a path from the system is normalized", () => {
  const forms: readonly [string, string][] = [
    ["C:\\Users\\me", "C:/Users/me"],
    ["\\\\?\\c:\\Users\\me", "C:/Users/me"],
    ["\\\\?\\UNC\\server\\share\\a", "//server/share/a"],
    ["\\\\server\\share\\a", "//server/share/a"],
  ];
  for (const [given, expected] of forms) expect(windowsPaths.fromSystem(given)).toBe(expected);
});

Deno.test("Windows paths > each path has a root and a parent directory", () => {
  const rows: readonly [path: string, root: string, parent: string][] = [
    ["C:/Users/me", "C:/", "C:/Users"],
    ["C:/Users", "C:/", "C:/"],
    ["C:/", "C:/", "C:/"],
    ["//server/share/a/b", "//server/share/", "//server/share/a"],
    ["//server/share/a", "//server/share/", "//server/share/"],
    ["//server/share/", "//server/share/", "//server/share/"],
  ];
  for (const [path, root, parent] of rows) {
    expect([path, windowsPaths.rootOf(path), windowsPaths.parentOf(path)])
      .toEqual([path, root, parent]);
  }
});

Deno.test("Windows paths > absolute paths, paths of programs and executable files are recognized", () => {
  expect(["C:\\a", "c:/a", "\\\\s\\x\\a", "\\a", "a", "C:a"].map(windowsPaths.isAbsolute))
    .toEqual([true, true, true, false, false, false]);
  expect(["git", "git.exe", ".\\git", "bin/git", "C:git"].map(windowsPaths.isPath))
    .toEqual([false, false, true, true, true]);
  expect(["a.exe", "a.CMD", "a.txt", "a"].map((path) => windowsPaths.isProgram(path, 0o777)))
    .toEqual([true, true, false, false]);
});

const posix: readonly [base: string, path: string, expected: string][] = [
  ["/home/me", "a", "/home/me/a"],
  ["/home/me", "../you", "/home/you"],
  ["/home/me", "/etc/x", "/etc/x"],
  ["/home/me", "C:\\a", "/home/me/C:\\a"],
  ["/home/me", "NUL", "/home/me/NUL"],
  ["/home/me", "a:b", "/home/me/a:b"],
  ["/home/me", "a. ", "/home/me/a. "],
];
for (const [base, path, expected] of posix) {
  Deno.test(`POSIX paths > ${JSON.stringify(path)} resolves to ${expected}`, () => {
    expect(posixPaths.resolve(base, path)).toBe(expected);
    expect(posixPaths.isInside(expected, "/home")).toBe(expected.startsWith("/home/"));
  });
}
