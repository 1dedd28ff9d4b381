/**
 * The requests of `ioctl(2)` that programs may make. Landlock checks only requests to devices, and
 * an open descriptor is enough for the others. Through a descriptor that was opened for reading,
 * file systems change attributes, keys and whole subvolumes. So every request that is not named
 * here is refused.
 */

import { allow, type Code, fail, oneOf } from "./bpf.ts";

const [EPERM, ENOTTY] = [1, 25];

/**
 * Requests about files that change nothing but a file that is open for writing, by their
 * numbers in `linux/fs.h` and `linux/fiemap.h`.
 */
const FILE_REQUESTS: readonly number[] = [
  0x40049409, // FICLONE
  0x4020940d, // FICLONERANGE
  0xc0189436, // FIDEDUPERANGE
  0x00000002, // FIGETBSZ
  0xc020660b, // FS_IOC_FIEMAP
  ...[0x80086601, 0x80046601], // FS_IOC_GETFLAGS, FS_IOC32_GETFLAGS
  ...[0x80087601, 0x80047601], // FS_IOC_GETVERSION, FS_IOC32_GETVERSION
  0x801c581f, // FS_IOC_FSGETXATTR
  ...[0x81009431, 0x80111500], // FS_IOC_GETFSLABEL, FS_IOC_GETFSUUID
];

/** RNDGETENTCNT: the randomness that the kernel has gathered. */
const RANDOM_REQUESTS: readonly number[] = [0x80045200];

/**
 * Whole types of requests (`_IOC_TYPE`): of terminals, with those to every descriptor such as
 * FIONREAD and FIOCLEX, and of sockets.
 */
const TYPES: readonly number[] = [0x5400, 0x8900];

/**
 * Requests of these types that are refused. They make another process the owner of a descriptor,
 * which is signalled then, or type into a terminal.
 */
const [FIOSETOWN, SIOCSPGRP] = [0x8901, 0x8902];
const [TIOCSTI, TIOCLINUX] = [0x5412, 0x541c];

/**
 * The types of file systems. The first line has generic, ext4, Lustre, GFS2 and verity (f),
 * versions (v), XFS and freezing (X), FAT (r), Btrfs and F2FS. The second line has Ceph, CIFS,
 * bcachefs, NILFS (n), OCFS2 and UBIFS (o).
 */
const FILE_SYSTEM_TYPES: readonly number[] = [
  ...[0x6600, 0x7600, 0x5800, 0x7200, 0x9400, 0xf500],
  ...[0x9700, 0xcf00, 0xbc00, 0x6e00, 0x6f00],
];

const [REQUEST, WHOLE, TYPE] = [1, 0xffffffff, 0xff00];

/**
 * The answer to `ioctl`, by its request. A file system's request is refused with EPERM. Any other
 * gets ENOTTY, as from a file that does not know it; programs have another way for that.
 */
export const ioctlRule: Code = oneOf(
  [REQUEST, WHOLE, ...FILE_REQUESTS, ...RANDOM_REQUESTS],
  allow,
  oneOf(
    [REQUEST, WHOLE, FIOSETOWN, SIOCSPGRP, TIOCSTI, TIOCLINUX],
    fail(EPERM),
    oneOf(
      [REQUEST, TYPE, ...TYPES],
      allow,
      oneOf([REQUEST, TYPE, ...FILE_SYSTEM_TYPES], fail(EPERM), fail(ENOTTY)),
    ),
  ),
);
