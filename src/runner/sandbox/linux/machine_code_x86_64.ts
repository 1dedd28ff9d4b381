/** Machine code for x86-64, as the listings of its assembler, for `system_call_table.ts`. */

/** Makes the call of the table's entry at rbx. */
const CALL = `48 8b 7b 08              mov rdi, [rbx+8]
  48 8b 73 10              mov rsi, [rbx+16]
  48 8b 53 18              mov rdx, [rbx+24]
  4c 8b 53 20              mov r10, [rbx+32]
  4c 8b 43 28              mov r8, [rbx+40]
  4c 8b 4b 30              mov r9, [rbx+48]
  0f 05                    syscall`;

/** The function that runs a table of system calls in a child. */
export const RUN = `
  ; make
  53                       push rbx
  48 89 fb                 mov rbx, rdi
  48 8b 3b                 mov rdi, [rbx]
  31 f6                    xor esi, esi
  31 d2                    xor edx, edx
  45 31 d2                 xor r10d, r10d
  45 31 c0                 xor r8d, r8d
  6a 38                    push 56
  58                       pop rax
  0f 05                    syscall
  85 c0                    test eax, eax
  75 48                    jnz parent
  48 83 c3 08              add rbx, 8
  ; next
  8b 03                    mov eax, [rbx]
  85 c0                    test eax, eax
  78 37                    js done
  ${CALL}
  48 8b 4b 38              mov rcx, [rbx+56]
  48 85 c9                 test rcx, rcx
  74 03                    jz checked
  48 89 01                 mov [rcx], rax
  ; checked
  48 85 c0                 test rax, rax
  79 06                    jns on
  83 7b 04 00              cmp dword ptr [rbx+4], 0
  74 06                    je done
  ; on
  48 83 c3 40              add rbx, 64
  eb c3                    jmp next
  ; done
  31 ff                    xor edi, edi
  6a 3c                    push 60
  58                       pop rax
  0f 05                    syscall
  ; parent
  5b                       pop rbx
  c3                       ret
`;

/** The program that makes the calls of its table and becomes another program. */
export const ENTER = `
  ; _start
  49 89 e4                 mov r12, rsp
  bb 00 02 40 00           mov ebx, 0x400200
  ; next
  8b 03                    mov eax, [rbx]
  85 c0                    test eax, eax
  78 25                    js done
  ${CALL}
  48 85 c0                 test rax, rax
  78 1e                    js failed
  48 83 c3 40              add rbx, 64
  eb d5                    jmp next
  ; done
  49 8b 7c 24 10           mov rdi, [r12+16]
  49 8d 74 24 10           lea rsi, [r12+16]
  49 8b 04 24              mov rax, [r12]
  49 8d 54 c4 10           lea rdx, [r12+rax*8+16]
  6a 3b                    push 59
  58                       pop rax
  0f 05                    syscall
  ; failed
  f7 d8                    neg eax
  31 d2                    xor edx, edx
  6a 0a                    push 10
  59                       pop rcx
  f7 f1                    div ecx
  c1 e2 08                 shl edx, 8
  8d 84 10 30 30 29 0a     lea eax, [rax+rdx+0x0a293030]
  50                       push rax
  6a 02                    push 2
  5f                       pop rdi
  8b 73 04                 mov esi, [rbx+4]
  8b 16                    mov edx, [rsi]
  48 83 c6 04              add rsi, 4
  6a 01                    push 1
  58                       pop rax
  0f 05                    syscall
  48 89 e6                 mov rsi, rsp
  6a 04                    push 4
  5a                       pop rdx
  6a 01                    push 1
  58                       pop rax
  0f 05                    syscall
  6a 7e                    push 126
  5f                       pop rdi
  b8 e7 00 00 00           mov eax, 231
  0f 05                    syscall
`;
