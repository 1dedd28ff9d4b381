/** Machine code for AArch64, as the listings of its assembler, for `system_call_table.ts`. */

/** The function that runs a table of system calls in a child. */
export const RUN = `
  ; make
  e9 03 00 aa              mov x9, x0
  20 01 40 f9              ldr x0, [x9]
  01 00 80 d2              mov x1, 0
  02 00 80 d2              mov x2, 0
  03 00 80 d2              mov x3, 0
  04 00 80 d2              mov x4, 0
  88 1b 80 d2              mov x8, 220
  01 00 00 d4              svc 0
  60 02 00 35              cbnz w0, parent
  29 21 00 91              add x9, x9, 8
  ; next
  28 01 40 b9              ldr w8, [x9]
  a8 01 f8 37              tbnz w8, 31, done
  20 85 40 a9              ldp x0, x1, [x9, 8]
  22 8d 41 a9              ldp x2, x3, [x9, 24]
  24 95 42 a9              ldp x4, x5, [x9, 40]
  01 00 00 d4              svc 0
  2a 1d 40 f9              ldr x10, [x9, 56]
  4a 00 00 b4              cbz x10, checked
  40 01 00 f9              str x0, [x10]
  ; checked
  60 00 f8 b6              tbz x0, 63, on
  2a 05 40 b9              ldr w10, [x9, 4]
  6a 00 00 34              cbz w10, done
  ; on
  29 01 01 91              add x9, x9, 64
  f3 ff ff 17              b next
  ; done
  00 00 80 d2              mov x0, 0
  a8 0b 80 d2              mov x8, 93
  01 00 00 d4              svc 0
  ; parent
  c0 03 5f d6              ret
`;

/** The program that makes the calls of its table and becomes another program. */
export const ENTER = `
  ; _start
  ec 03 00 91              mov x12, sp
  09 40 80 d2              mov x9, 0x200
  09 08 a0 f2              movk x9, 0x40, lsl 16
  ; next
  28 01 40 b9              ldr w8, [x9]
  08 01 f8 37              tbnz w8, 31, done
  20 85 40 a9              ldp x0, x1, [x9, 8]
  22 8d 41 a9              ldp x2, x3, [x9, 24]
  24 95 42 a9              ldp x4, x5, [x9, 40]
  01 00 00 d4              svc 0
  20 01 f8 b7              tbnz x0, 63, failed
  29 01 01 91              add x9, x9, 64
  f8 ff ff 17              b next
  ; done
  80 09 40 f9              ldr x0, [x12, 16]
  81 41 00 91              add x1, x12, 16
  82 01 40 f9              ldr x2, [x12]
  22 0c 02 8b              add x2, x1, x2, lsl 3
  a8 1b 80 d2              mov x8, 221
  01 00 00 d4              svc 0
  ; failed
  e0 03 00 4b              neg w0, w0
  41 01 80 52              mov w1, 10
  02 08 c1 1a              udiv w2, w0, w1
  43 80 01 1b              msub w3, w2, w1, w0
  42 20 03 0b              add w2, w2, w3, lsl 8
  04 06 86 52              mov w4, 0x3030
  24 45 a1 72              movk w4, 0x0a29, lsl 16
  42 00 04 0b              add w2, w2, w4
  e2 0f 1f b8              str w2, [sp, -16]!
  40 00 80 d2              mov x0, 2
  21 05 40 b9              ldr w1, [x9, 4]
  22 44 40 b8              ldr w2, [x1], 4
  08 08 80 d2              mov x8, 64
  01 00 00 d4              svc 0
  40 00 80 d2              mov x0, 2
  e1 03 00 91              mov x1, sp
  82 00 80 d2              mov x2, 4
  08 08 80 d2              mov x8, 64
  01 00 00 d4              svc 0
  c0 0f 80 d2              mov x0, 126
  c8 0b 80 d2              mov x8, 94
  01 00 00 d4              svc 0
`;
