#!/bin/sh
# This head unpacks the program that follows it into a private folder, once;
# from then on it only starts it. POSIX sh and the base tools, nothing else.
set -f
key=@KEY@ size=@SIZE@ offset=@OFFSET@
# shellcheck disable=SC2030,SC2031 # PATH is meant to change in subshells alone
tools=/usr/bin:/bin${PATH:+:$PATH}
nl='
'

# Is folder $1 beyond the reach of other users, with everything above it, and
# are the names after $2 inside it ours? Sticky folders, as /tmp, will do above
# it, and for itself when $2 is "shared". One fork. Sets $place to its physical
# path and $bytes to the size of the files, or $reason.
private() {
  rule=$2 uid=${me-} bytes=0
  seen=$(
    cd -P -- "$1" 2>/dev/null || exit
    [ "$2" = shared ] || [ -O . ] || exit
    shift 2
    up=. above='' rest=$PWD
    while [ "${rest%/}" ]; do
      rest=${rest%/*} up=$up/.. above="$above $up"
    done
    printf '%s\n//\n' "$PWD"
    unset QUOTING_STYLE CLICOLOR_FORCE
    LC_ALL=C PATH=$tools
    export LC_ALL PATH
    # shellcheck disable=SC2086 # $above is a list of words
    exec ls -ldn -- . $above "$@" 2>/dev/null
  )
  place=${seen%%"$nl//$nl"*} seen=${seen#*"$nl//$nl"}
  reason='it belongs to another user or cannot be entered'
  [ "$place" != "$seen" ] || return 1
  IFS=$nl
  # shellcheck disable=SC2086 # one word a line
  set -- $seen
  IFS=' '
  for line; do
    # shellcheck disable=SC2086 # mode, links, owner, group, size and more
    set -- $line
    : "${uid:=$3}"
    case $3 in
      "$uid" | 0) ;;
      65534) # who is unknown in a user namespace; outside of one, the user nobody
        line=4294967295
        { read -r _ _ line </proc/self/uid_map; } 2>/dev/null
        [ "$line" != 4294967295 ] || return 1
        ;;
      *)
        reason='a folder above it belongs to another user'
        return 1
        ;;
    esac
    reason='other users can write in it or in a folder above it'
    case $rule$1 in
      *-????-??-*) bytes=$((bytes + $5)) ;;
      *d????-??-* | sharedd????????[tT]*) ;;
      *) return 1 ;;
    esac
    rule=shared
  done
  [ "$seen" ]
}

# Sets $run to the folder that holds this version unpacked in folder $1, if whole.
unpacked() {
  [ "$1" ] && [ -f "$1/$key" ] && [ -O "$1/$key" ] && [ ! -L "$1" ] || return 1
  { read -r name <"$1/$key"; } 2>/dev/null || return 1
  case ${name#"$key".} in "$name" | *[!0-9.]*) return 1 ;; esac
  private "$1" strict "$name" @FILES@ || return 1
  run=$place/$name
  reason='what was unpacked there does not stay whole'
  # shellcheck disable=SC3013 # -nt is in dash, bash, busybox, ksh and POSIX.1-2024
  [ "$bytes" = "$size" ] && [ -x "$run/deno" ] && [ ! "$run" -nt "$place/$key" ]
}

# Becomes the program in $run. What would change the runtime under it is put aside,
# each as TOOLCALL_ENV_<its name>, for the programs that it starts.
start() {
  for name in @VARIABLES@; do
    eval "if [ \"\${$name+set}\" ]; then
      export \"TOOLCALL_ENV_$name=\$$name\"
      unset $name
    else
      unset TOOLCALL_ENV_$name
    fi"
  done
  export DENO_DIR="$run/state" DENO_NO_UPDATE_CHECK=1
  exec "$run/deno" run @FLAGS@ "$run/main.js" "$@"
}

cache='' spare='' why=''
if [ "${TOOLCALL_CACHE_DIR-}" ]; then
  case $TOOLCALL_CACHE_DIR in
    /*) cache=$TOOLCALL_CACHE_DIR ;;
    *) why="$nl  \"$TOOLCALL_CACHE_DIR\": TOOLCALL_CACHE_DIR has to be an absolute path" ;;
  esac
  while [ "$cache" != "${cache%/}" ]; do cache=${cache%/}; done
else
  case ${XDG_CACHE_HOME-}:${HOME-} in
    /*) cache=${XDG_CACHE_HOME%/}/toolcall ;;
    *:/*) if [ -d "$HOME" ]; then cache=${HOME%/}/.cache/toolcall; fi ;;
  esac
fi
if unpacked "$cache"; then start "$@"; fi
if [ ! "${TOOLCALL_CACHE_DIR-}" ]; then
  case ${TMPDIR-} in /*) spare=${TMPDIR%/} ;; *) spare=/tmp ;; esac
  spare=$spare/toolcall-$(PATH=$tools && id -u)
fi
if unpacked "$spare"; then start "$@"; fi

# Everything below is for the first start; shells read it only then.

# Sets $place to folder $1, made if need be.
prepared() {
  parent=$1
  while [ ! -e "$parent" ] && [ ! -L "$parent" ]; do
    parent=${parent%/*} parent=${parent:-/}
  done
  if [ "$parent" != "$1" ]; then
    private "$parent" shared || return 1
    reason=$(mkdir -p -- "$1" 2>&1) || return 1
  fi
  reason='it is a symbolic link'
  [ ! -L "$1" ] || return 1
  reason='it is not a folder'
  [ -d "$1" ] && private "$1" strict
}

# Takes the lock of $place, or waits until another process has unpacked there.
# It only spares work: a lock left by a killed process is taken over at once.
lock() {
  lock=$place/$key.lock waits=0
  while [ "$waits" -lt 400 ]; do
    set -C
    if { true >"$lock"; } 2>/dev/null; then
      set +C
      locked=yes
      { echo "$$" >"$lock"; } 2>/dev/null
      return
    fi
    set +C
    [ -w "$place" ] || return
    holder=
    { read -r holder <"$lock"; } 2>/dev/null
    if unpacked "$place"; then return; fi
    case $holder in
      *[!0-9]*) rm -f -- "$lock" ;;
      '') [ "$waits" -lt 20 ] || rm -f -- "$lock" ;;
      *) kill -0 "$holder" 2>/dev/null || rm -f -- "$lock" ;;
    esac
    waits=$((waits + 1))
    sleep 0.05 2>/dev/null || { sleep 1 && waits=$((waits + 19)); }
  done
}

# Removes what killed processes left a day ago, and versions not read for a month.
tidy() {
  cd -- "$place" || return
  hex='[0-9a-f]' hex=$hex$hex$hex$hex hex=$hex$hex$hex$hex
  find . ! -name . -prune -type f -name "$hex" -atime +30 -exec rm -f -- {} +
  find . ! -name . -prune -name "$hex.*" -mtime +0 | while read -r old; do
    old=${old#./} live=
    read -r live <"${old%%.*}"
    [ "$live" = "$old" ] || rm -rf -- "$old"
  done
}

# Unpacks into $place/$name; nothing refers to it before it is whole.
extract() {
  count=0
  while name=$key.$$.$count && [ -e "$place/$name" ]; do count=$((count + 1)); done
  reason=$(mkdir -- "$place/$name" 2>&1) || return 1
  fresh=$place/$name
  {
    tail -c "+$offset" <"$self" |
      { gzip -dc && true >"$fresh/.sound"; } |
      { cd -- "$fresh" && exec tar -xf -; } &
    job=$!
    wait "$job"
    code=$?
    wait
    job=
  } 2>"$fresh/.log" >&2
  if [ "$code" != 0 ] || [ ! -e "$fresh/.sound" ]; then
    reason=
    { read -r reason <"$fresh/.log"; } 2>/dev/null
    reason="it cannot be unpacked into: ${reason:-is its disk full?}"
    tail -c "+$offset" <"$self" | gzip -t 2>/dev/null ||
      fail "$self is damaged: get it again, or build it again"
    return 1
  fi
  reason=$("$fresh/deno" --version 2>&1 </dev/null) || {
    reason="programs in it cannot be started: $reason"
    return 1
  }
  rm -f -- "$fresh/.log" "$fresh/.sound" && mkdir -- "$fresh/state" &&
    echo "$name" >"$fresh.ready" && mv -f -- "$fresh.ready" "$place/$key"
}

# Gives up what was begun.
discard() {
  [ ! "$fresh" ] || rm -rf -- "$fresh" "$fresh.ready"
  [ ! "$locked" ] || rm -f -- "$lock"
  fresh='' locked=''
}

# Ends by signal $1, as if there had been no trap.
# shellcheck disable=SC2317 # called by the traps
stop() {
  trap '' HUP INT TERM
  [ ! "$job" ] || kill "$job" 2>/dev/null
  wait
  discard
  trap - "$1"
  kill -s "$1" "$$"
}

# Sets $run to this version unpacked in folder $1, unpacking it where that is needed.
unpack() {
  if [ ! "$1" ]; then return 1; fi
  fresh='' locked='' job='' done=no
  if prepared "$1"; then
    trap 'stop HUP' HUP
    trap 'stop INT' INT
    trap 'stop TERM' TERM
    lock
    if unpacked "$place"; then
      done=yes
    else
      (tidy) >/dev/null 2>&1 </dev/null
      if extract; then
        fresh=
        if unpacked "$place"; then done=yes; fi
      fi
    fi
    discard
    trap - HUP INT TERM
  fi
  why="$why$nl  \"$1\": $reason"
  [ "$done" = yes ]
}

# Ends with message $1 for people, and a result for the program that waits for one.
fail() {
  discard
  printf '%s\n' "toolcall: Cannot unpack the program: $1" >&2
  printf '%s\n' '{"content":[{"type":"text","text":"Cannot unpack toolcall: the message on standard error names the cause and what to do"}],"isError":true,"_meta":{"toolcall/error":{"code":"unavailable"}}}'
  exit 8
}

# Unpacks this file into the first of the folders that will do.
first_start() {
  saved_path=${PATH-} saved_umask=$(umask) fresh='' locked=''
  PATH=$tools
  umask 077
  for program in find gzip id ls mkdir mv rm sleep tail tar; do
    command -v "$program" >/dev/null || fail "\"$program\" is missing in PATH"
  done
  me=$(id -u)
  self=$0
  case $self in
    /*) ;;
    */*) self=./$self ;;
    *) if [ -f "./$self" ]; then self=./$self; else self=$(PATH=$saved_path && command -v "$self"); fi ;;
  esac
  [ -f "$self" ] || fail "its own file \"$0\" cannot be found; start it by its path"
  unpack "$cache" || unpack "$spare" || fail "no folder will do$why
Set TOOLCALL_CACHE_DIR to a folder that only you can write, on a disk that has room and lets programs start"
  umask "$saved_umask"
  PATH=$saved_path
}

first_start
start "$@"
exit
