#!/bin/sh
# This head unpacks the program that follows it into a private directory, once. Later starts only
# start it. It needs only a POSIX shell and the base tools.
# The names of its variables begin with tc_, so that they differ from the caller's.
# shellcheck disable=SC2030,SC2031 # PATH is meant to change only in subshells
set -f
tc_key=@KEY@ tc_size=@SIZE@ tc_runtime=@RUNTIME@
tc_offset=@OFFSET@ tc_runtime_offset=@RUNTIME_OFFSET@
tc_first=@FIRST_OFFSET@ tc_second=@SECOND_OFFSET@ tc_end=@END@
tc_tools=/usr/bin:/bin${PATH:+:$PATH}
tc_nl='
'

# Ends with message $1 for the program that waits. $1 has no character that JSON escapes. Users get
# $2 on standard error, or else $1.
fail() {
  trap - EXIT
  printf 'toolcall: %s\n' "${2-$1}" >&2
  printf '{"content":[{"type":"text","text":"%s"}],"isError":true,"_meta":{"toolcall/error":{"code":"unavailable"}}}\n' "$1"
  exit 8
}

# A shell that cannot go on, for want of processes or of open files, says why by itself.
trap 'fail "Cannot start toolcall: the message on standard error names the cause" "the shell could not start the program"' EXIT
# The runtime would take a closed standard output for /dev/null, and the result would be lost.
{ true 3>&1; } 2>/dev/null || {
  trap - EXIT
  echo 'toolcall: Cannot write a result: standard output is closed' >&2
  exit 8
}

# Ends when limit $1 of the system, by "ulimit $2", is $3, a number below $4. This shell would not
# run with a limit of one digit, but for processes: then the system did not answer.
need() {
  case $2:$3 in *: | *:*[!0-9]* | -[!u]:?) return ;; esac
  [ "$3" -ge "$4" ] || fail "Cannot start toolcall: the limit on $1 is $3; toolcall needs at least $4. Raise it: ulimit $2 $4"
}

# Succeeds if other users cannot change directory $1 or those above it, and this user owns the names
# after $2 inside it. Sticky directories, such as /tmp, are allowed above it, and as $1 itself if $2
# is "shared". Takes one fork. Sets $tc_place to its physical path and $tc_bytes to the size of the
# files, or $tc_reason.
private() {
  tc_rule=$2 tc_uid=$tc_me tc_bytes=0
  tc_seen=$(
    cd -P -- "$1" 2>/dev/null || exit
    [ "$2" = shared ] || [ -O . ] || exit
    shift 2
    tc_up=. tc_above='' tc_rest=$PWD
    while [ "${tc_rest%/}" ]; do
      tc_rest=${tc_rest%/*} tc_up=$tc_up/.. tc_above="$tc_above $tc_up"
    done
    printf '%s\n//\n' "$PWD"
    for tc_limit in n v d s f; do ulimit -$tc_limit 2>/dev/null || echo unknown; done
    { ulimit -u || ulimit -p || echo unknown; } 2>/dev/null
    unset QUOTING_STYLE CLICOLOR_FORCE
    LC_ALL=C PATH=$tc_tools
    export LC_ALL PATH
    # shellcheck disable=SC2086 # $tc_above is a list of words
    exec ls -ldn -- . $tc_above "$@" 2>/dev/null
  )
  tc_place=${tc_seen%%"$tc_nl//$tc_nl"*} tc_seen=${tc_seen#*"$tc_nl//$tc_nl"}
  tc_reason='it belongs to another user or cannot be entered'
  [ "$tc_place" != "$tc_seen" ] || return 1
  IFS=$tc_nl
  # shellcheck disable=SC2086 # one word a line
  set -- $tc_seen
  IFS=' '
  # Below these limits the runtime ends without a result for the program that waits.
  need 'open files' -n "$1" 32
  need 'virtual memory (KiB)' -v "$2" 64000000
  need 'data (KiB)' -d "$3" 2000000
  need 'the stack (KiB)' -s "$4" 2048
  # A write to a file that is too large then fails, and does not end the program.
  [ "$5" = unlimited ] || command trap '' XFSZ 2>/dev/null
  tc_processes=$6
  shift 6
  for tc_line; do
    # shellcheck disable=SC2086 # mode, links, owner, group, size and more
    set -- $tc_line
    : "${tc_uid:=$3}"
    case $3 in
      "$tc_uid" | 0) ;;
      65534) # an unknown user in a user namespace; outside of one, the user nobody
        tc_line=4294967295
        { read -r _ _ tc_line </proc/self/uid_map; } 2>/dev/null
        # A program of another call may not read that file, but sees the owner of the root directory.
        [ "$tc_line" != 4294967295 ] ||
          case $(LC_ALL=C PATH=$tc_tools ls -ldn / 2>/dev/null) in
            *' 65534 '*) ;;
            *) return 1 ;;
          esac
        ;;
      *)
        tc_reason='a directory above it belongs to another user'
        return 1
        ;;
    esac
    tc_reason='other users can write in it or in a directory above it'
    case $tc_rule$1 in
      *-????-??-*) tc_bytes=$((tc_bytes + $5)) ;;
      *d????-??-* | sharedd????????[tT]*) ;;
      *) return 1 ;;
    esac
    tc_rule=shared
  done
  # The limit does not apply to root.
  [ "$tc_uid" = 0 ] || need 'processes of this user' -u "$tc_processes" 32
  [ "$#" -gt 0 ]
}

# Sets $tc_run to the unpacked version in directory $1, if it is complete.
unpacked() {
  [ "$1" ] && [ -f "$1/$tc_key" ] && [ -O "$1/$tc_key" ] && [ ! -L "$1" ] || return 1
  { read -r tc_name <"$1/$tc_key"; } 2>/dev/null || return 1
  case ${tc_name#"$tc_key".} in "$tc_name" | *[!0-9.]*) return 1 ;; esac
  private "$1" strict "$tc_name" @FILES@ || return 1
  tc_run=$tc_place/$tc_name
  tc_reason='the unpacked files there do not stay complete'
  # shellcheck disable=SC3013 # -nt is in dash, bash, busybox, ksh and POSIX.1-2024
  [ "$tc_bytes" = "$tc_size" ] && [ -x "$tc_run/deno" ] && [ ! "$tc_run" -nt "$tc_place/$tc_key" ]
}

# Becomes the program in $tc_run. Variables that would change its runtime are renamed to
# TOOLCALL_ENV_<NAME>, for the programs that it starts.
start() {
  if [ "@ANY_SET@" ]; then
    for tc_name in @VARIABLES@; do
      eval "if [ \"\${$tc_name+set}\" ]; then
        export \"TOOLCALL_ENV_$tc_name=\$$tc_name\"
        unset $tc_name
      else
        unset TOOLCALL_ENV_$tc_name
      fi"
    done
  fi
  export DENO_DIR="$tc_run/state" DENO_NO_UPDATE_CHECK=1 TOOLCALL_EXECUTABLE="$0"
  # A shell finds out cheaply that no configuration exists; for the program it is expensive. The
  # variable counts only for the process with this ID.
  case ${XDG_CONFIG_HOME-} in
    /*) tc_own=$XDG_CONFIG_HOME/toolcall ;;
    *) tc_own=${HOME-}/.config/toolcall ;;
  esac
  unset TOOLCALL_NO_CONFIG TOOLCALL_SHORT_LOG
  if [ ! -e toolcall.json ] && [ ! -L toolcall.json ] && [ ! -e "$tc_own" ] && [ ! -L "$tc_own" ]; then
    # A directory that cannot be searched may contain a configuration.
    while [ "$tc_own" ] && [ ! -e "$tc_own" ] && [ ! -L "$tc_own" ]; do
      case $tc_own in */*) tc_own=${tc_own%/*} ;; *) tc_own= ;; esac
    done
    if [ -x . ] && [ -x "${tc_own:-/}" ]; then export TOOLCALL_NO_CONFIG=$$; fi
  fi
  # The runtime reads .npmrc there before it runs the program, and may fail or wait for ever.
  if [ "${HOME+set}" ]; then export "TOOLCALL_ENV_HOME=$HOME"; else unset TOOLCALL_ENV_HOME; fi
  export HOME="$tc_run/state"
  # A directory that this user may not enter still has a path. Calls that do not need it go on.
  if [ ! -d "${PWD-}" ] && [ ! "$(pwd -P 2>/dev/null)" ]; then
    fail 'Cannot use the working directory: it was removed; start toolcall in one that exists'
  fi
  set +f
  exec "$tc_run/deno" run @FLAGS@ "$tc_run/main.js" "$@"
}

tc_cache='' tc_spare='' tc_account='' tc_why='' tc_me=''

# Becomes the program, if it is unpacked.
warm_start() {
  if [ "${TOOLCALL_CACHE_DIR-}" ]; then
    case $TOOLCALL_CACHE_DIR in
      /*[!/]*) tc_cache=$TOOLCALL_CACHE_DIR ;;
      *) tc_why="$tc_nl  \"$TOOLCALL_CACHE_DIR\": TOOLCALL_CACHE_DIR has to be the absolute path of a directory" ;;
    esac
    while [ "$tc_cache" != "${tc_cache%/}" ]; do tc_cache=${tc_cache%/}; done
  else
    case ${XDG_CACHE_HOME-} in
      /*) tc_cache=${XDG_CACHE_HOME%/}/toolcall ;;
      *) if [ -d "${HOME-}" ]; then tc_cache=${HOME%/}/.cache/toolcall; fi ;;
    esac
    case $tc_cache in
      /*) ;;
      *)
        tc_cache=
        tc_why="$tc_nl  HOME \"${HOME-}\": it is not a directory"
        ;;
    esac
  fi
  if unpacked "$tc_cache"; then start "$@"; fi
  # The sandbox denies this directory by its name, so that no call can make it first. The sandbox
  # denies new files in the directory above too, so it is not /tmp, and no variable names it.
  if [ ! "${TOOLCALL_CACHE_DIR-}" ]; then
    tc_spare=@SPARE@/toolcall-$(PATH=$tc_tools && id -u)
  fi
  if unpacked "$tc_spare"; then start "$@"; fi
  # Another user can make that directory first, so the last one is in the home of the account.
  if [ "$tc_spare" ]; then
    while IFS=: read -r _ _ tc_uid _ _ tc_home _; do
      case $tc_uid$tc_home in
        "${tc_spare##*-}"/*[!/]*)
          tc_account=${tc_home%/}/.cache/toolcall
          break
          ;;
      esac
    done 2>/dev/null <"@ACCOUNTS@"
    [ "$tc_account" != "$tc_cache" ] || tc_account=
  fi
  if unpacked "$tc_account"; then start "$@"; fi
}

# The first start, below, starts this file again as a process that only unpacks.
if [ "${1-}" != "$tc_key.unpack" ]; then warm_start "$@"; fi

# Everything below is for the first start. Shells read it only then.

# Sets $tc_place to directory $1, and creates it if necessary.
prepared() {
  tc_parent=$1
  while [ ! -e "$tc_parent" ] && [ ! -L "$tc_parent" ]; do
    tc_parent=${tc_parent%/*} tc_parent=${tc_parent:-/}
  done
  if [ "$tc_parent" != "$1" ]; then
    tc_reason="\"$tc_parent\" is not a directory"
    [ -d "$tc_parent" ] || return 1
    private "$tc_parent" shared || return 1
    tc_reason=$(mkdir -p -- "$1" 2>&1) || return 1
  fi
  tc_reason='it is a symbolic link'
  [ ! -L "$1" ] || return 1
  tc_reason='it is not a directory'
  [ -d "$1" ] && private "$1" strict
}

# Takes the lock of $tc_place, or waits until another process has unpacked there.
# The lock only saves work: the lock of a killed process is taken over at once.
lock() {
  tc_lock=$tc_place/$tc_key.lock tc_waits=0
  while [ "$tc_waits" -lt 2400 ]; do
    set -C
    if { true >"$tc_lock"; } 2>/dev/null; then
      set +C
      tc_locked=yes
      { echo "$tc_key.$$.$tc_host" >"$tc_lock"; } 2>/dev/null
      return
    fi
    set +C
    [ -w "$tc_place" ] || return
    tc_holder=
    { read -r tc_holder <"$tc_lock"; } 2>/dev/null
    if unpacked "$tc_place"; then return; fi
    if [ "$tc_waits" = 0 ] && [ "$(find "$tc_lock" -prune -mmin +1 2>/dev/null)" ]; then tc_holder=old; fi
    case $tc_holder in
      '') [ "$tc_waits" -lt 20 ] || rm -f -- "$tc_lock" ;;
      *) if gone "$tc_holder" "$tc_lock"; then rm -f -- "$tc_lock"; fi ;;
    esac
    tc_waits=$((tc_waits + 1))
    sleep 0.05 2>/dev/null || { sleep 1 && tc_waits=$((tc_waits + 19)); }
  done
}

# Succeeds when the process that wrote the name $1 has ended. $1 is KEY.PROCESS.HOST or only the
# number of the process. A process of another host or PID namespace counts as ended once nothing in
# $2 has changed for a minute.
gone() {
  tc_by=${1#*.} tc_on=${1##*.}
  tc_by=${tc_by%%.*}
  case $tc_by in '' | *[!0-9]*) return 0 ;; esac
  case $tc_on in
    # The process ID was used by another process before this one.
    "$tc_host" | 0 | "$1") [ "$tc_by" = "$$" ] || ! kill -0 "$tc_by" 2>/dev/null ;;
    *) [ ! "$(find "$2" ! -mmin +1 2>/dev/null)" ] ;;
  esac
}

# Sets $tc_running to the programs of all processes that this user can see.
look_at_processes() {
  set +f
  tc_running=$(ls -l /proc/[0-9]*/exe)
  set -f
}

# Removes directories that killed processes left: an incomplete one at once, because nobody uses it,
# and a complete one after a day. Also removes versions that were not used for two days and that
# no process runs from, except the one that was used last. The system knows the time of the last use
# within a day. Where processes cannot be seen, a month counts instead.
tidy() {
  cd -- "$tc_place" || return
  set +f
  set -- *.*
  set -f
  # The list contains only the lock of this process.
  [ "$*" != "$tc_key.lock" ] || return
  tc_hex='[0-9a-f]' tc_hex=$tc_hex$tc_hex$tc_hex$tc_hex tc_hex=$tc_hex$tc_hex$tc_hex$tc_hex
  look_at_processes
  set +f
  # shellcheck disable=SC2012,SC2086 # $tc_hex is a pattern, and no name of a mark has a blank
  tc_marks=$(ls -dtu -- $tc_hex)
  set -f
  tc_days=1 tc_last='' IFS=$tc_nl
  [ "$tc_running" ] || tc_days=29
  for tc_mark in $tc_marks; do
    [ "$tc_mark" != "$tc_key" ] || continue
    tc_previous=$tc_last tc_last=$tc_mark
    [ "$tc_previous" ] && [ "$(find "$tc_mark" -prune -type f -atime "+$tc_days")" ] || continue
    case $tc_running in *"/$tc_mark."*) ;; *) rm -f -- "$tc_mark" ;; esac
  done
  # By now the list of processes shows every start that has read a mark before.
  look_at_processes
  {
    find . ! -name . -prune -name "$tc_hex.*" -mtime +0
    find . ! -name . -prune -type d -name "$tc_hex.*.*" | while read -r tc_old; do
      if [ ! -d "$tc_old/state" ] && gone "${tc_old#./}" "$tc_old"; then echo "$tc_old"; fi
    done
  } | while read -r tc_old; do
    tc_old=${tc_old#./} tc_live=
    case $tc_running in *"/$tc_old/"*) continue ;; esac
    read -r tc_live <"${tc_old%%.*}"
    [ "$tc_live" = "$tc_old" ] || rm -rf -- "$tc_old"
  done
}

# Sets $tc_link to the runtime of another version, if it is the same and as private as this one.
shared_runtime() {
  tc_link='' IFS=$tc_nl
  for tc_other in $(cd -- "$tc_place" && find . -name "deno.$tc_runtime"); do
    tc_other=${tc_other#./} tc_other=${tc_other%/*}
    case $tc_other in */* | *[!0-9a-f.]*) continue ;; esac
    [ -d "$tc_place/$tc_other/state" ] && [ -x "$tc_place/$tc_other/deno" ] &&
      [ -O "$tc_place/$tc_other/deno" ] &&
      private "$tc_place" strict "$tc_other" "$tc_other/deno" || continue
    [ "$tc_bytes" != @RUNTIME_SIZE@ ] || tc_link=$tc_place/$tc_other/deno
  done
}

# Unpacks part $1 of this file, which begins at byte $2 and ends before byte $3, with the command
# after these. Makes the file $tc_parts/$1 once it is done.
unpack_part() {
  tc_part=$tc_parts/$1 tc_begin=$2 tc_limit=$3
  shift 3
  {
    head -c "$((tc_limit - 1))" <"$tc_self" | tail -c "+$tc_begin" |
      { gzip -dc && true >"$tc_part.sound"; } | (cd -- "$tc_fresh" && exec "$@") &&
      [ -e "$tc_part.sound" ] && true >"$tc_part"
  } 2>"$tc_part.log" >&2
}

# Unpacks half $1 of the runtime, as above, into its place in the file: from piece $4 on. The system
# maps a file in pieces of the size in which it was written. Large ones make each start a tenth
# faster.
unpack_half() {
  unpack_part "$1" "$2" "$3" dd ibs=65536 obs=@PIECE@ "seek=$4" conv=notrunc of=deno
}

# Puts the runtime into $tc_fresh: a link to the one of another version, or the unpacked one.
place_runtime() {
  if [ "$tc_link" ] && ln -- "$tc_link" "$tc_fresh/deno" 2>/dev/null; then
    true >"$tc_parts/first" && true >"$tc_parts/second" && true >"$tc_parts/end"
    return
  fi
  { true >"$tc_fresh/deno" && chmod 700 "$tc_fresh/deno"; } 2>"$tc_parts/runtime.log" || return
  unpack_half first "$tc_first" "$tc_second" 0 &
  # The last part unpacks to nothing, but shows that this file is complete.
  tail -c "+$tc_end" <"$tc_self" | gzip -t 2>"$tc_parts/end.log" && true >"$tc_parts/end"
  unpack_half second "$tc_second" "$tc_end" @SECOND_PIECE@
  wait
}

# Sets $tc_reason to the first error among the messages of the programs. dd counts what it wrote in
# lines that begin with a number.
find_reason() {
  tc_reason=
  for tc_log in runtime end files first second; do
    { read -r tc_line <"$tc_parts/$tc_log.log"; } 2>/dev/null || continue
    case $tc_line in [0-9]*) ;; *) tc_reason=$tc_line ;; esac
    [ ! "$tc_reason" ] || return
  done
}

# Unpacks into $tc_place/$tc_name. Nothing refers to it before it is complete. The directory "state"
# comes last, so that a directory without it is incomplete. The halves of the runtime and the rest
# are unpacked side by side.
extract() {
  shared_runtime
  tc_name=$tc_key.$$.$tc_host
  while [ -e "$tc_place/$tc_name" ]; do tc_name=${tc_name}0; done
  tc_fresh=$tc_place/$tc_name tc_parts=$tc_place/$tc_name/.parts
  tc_reason=$(mkdir -- "$tc_fresh" 2>&1) || {
    tc_fresh=
    return 1
  }
  tc_reason=$(mkdir -- "$tc_parts" 2>&1) || return 1
  place_runtime &
  unpack_part files "$tc_offset" "$tc_runtime_offset" tar -xf -
  wait
  for tc_part in files first second end; do
    [ ! -e "$tc_parts/$tc_part" ] || continue
    find_reason
    tc_reason="it cannot be unpacked into: ${tc_reason:-is its disk full?}"
    tail -c "+$tc_offset" <"$tc_self" | gzip -t 2>/dev/null || tc_ended=2
    return 1
  done
  tc_reason=$("$tc_fresh/deno" --version 2>&1 </dev/null) || {
    tc_reason="programs in it cannot be started: $tc_reason"
    return 1
  }
  tc_reason='it cannot be written'
  rm -rf -- "$tc_parts" && mkdir -- "$tc_fresh/state" &&
    echo "$tc_name" >"$tc_fresh.ready" && mv -f -- "$tc_fresh.ready" "$tc_place/$tc_key"
}

# Unpacks into $tc_place, as a process of its own. It outlives the start that waits for it, so that an
# impatient client finds the program unpacked the next time. On a failure it prints the reason, and
# ends with 1, or with 2 if this file is damaged.
unpack_here() {
  trap - EXIT
  trap '' HUP INT QUIT TERM PIPE
  tc_fresh='' tc_locked='' tc_ended=1 tc_host=0
  # The boot and the PID namespace distinguish processes with the same ID.
  { read -r tc_boot </proc/sys/kernel/random/boot_id; } 2>/dev/null &&
    tc_host=$(ls -l /proc/self/ns/pid 2>/dev/null) &&
    tc_host=${tc_host##*\[} tc_host=$((0x${tc_boot%%-*}))${tc_host%\]}
  lock
  if unpacked "$tc_place"; then
    tc_ended=0
  else
    (tidy) >/dev/null 2>&1 </dev/null
    if extract; then tc_ended=0 tc_fresh=; fi
  fi
  [ ! "$tc_fresh" ] || rm -rf -- "$tc_fresh" "$tc_fresh.ready"
  [ ! "$tc_locked" ] || rm -f -- "$tc_lock"
  [ "$tc_ended" = 0 ] || printf '%s\n' "$tc_reason"
  exit "$tc_ended"
}

# Sets $tc_run to this version in directory $1, and unpacks it there if necessary.
unpack() {
  if [ ! "$1" ]; then return 1; fi
  tc_ready=no
  if prepared "$1"; then
    if [ -t 2 ]; then printf 'toolcall: Unpacking into %s, this once\n' "$1" >&2; fi
    # It gets its own session, so that a signal to the group of this process does not reach it.
    tc_reason=$(
      unset @VARIABLES@
      HOME=$tc_place
      exec ${tc_session:+"$tc_session"} @AGAIN@ "$tc_key.unpack" "$tc_place" \
        2>&1 </dev/null 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-
    )
    case $? in
      0) if unpacked "$tc_place"; then tc_ready=yes; fi ;;
      1) ;;
      2) give_up "\"$tc_self\" is damaged: get it again, or build it again" ;;
      *) tc_reason=${tc_reason:-the process that unpacked was ended} ;;
    esac
  fi
  tc_why="$tc_why$tc_nl  \"$1\": $tc_reason"
  [ "$tc_ready" = yes ]
}

# Ends with message $1 for users.
give_up() {
  fail 'Cannot unpack toolcall: the message on standard error names the cause and what to do' \
    "Cannot unpack the program: $1"
}

# Unpacks this file into the first usable directory.
first_start() {
  tc_saved_path=${PATH-} tc_saved_umask=$(umask)
  PATH=$tc_tools
  umask 077
  for tc_program in chmod dd find gzip head id ln ls mkdir mv rm sleep tail tar; do
    command -v "$tc_program" >/dev/null || give_up "\"$tc_program\" is missing in PATH"
  done
  tc_me=$(id -u)
  tc_self=$0
  [ -f "$tc_self" ] || tc_self=$(PATH=$tc_saved_path && command -v "$0")
  [ -f "$tc_self" ] || give_up "its own file \"$0\" cannot be found; start it by its path"
  case $tc_self in */*) ;; *) tc_self=./$tc_self ;; esac
  if [ "${1-}" = "$tc_key.unpack" ]; then
    tc_place=$2
    unpack_here
  fi
  tc_session=$(command -v setsid)
  unpack "$tc_cache" || unpack "$tc_spare" || unpack "$tc_account" || give_up "no directory can be used$tc_why
Set TOOLCALL_CACHE_DIR to a directory that only you can write, on a disk that has room and lets programs start"
  umask "$tc_saved_umask"
  PATH=$tc_saved_path
}

first_start "$@"
start "$@"
exit
