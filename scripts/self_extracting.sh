#!/bin/sh
# This head unpacks the program that follows it into a private folder, once;
# from then on it only starts it. POSIX sh and the base tools, nothing else.
# The names of its variables begin with tc_, so that none is one of the caller's.
# shellcheck disable=SC2030,SC2031 # PATH is meant to change in subshells alone
set -f
tc_key=@KEY@ tc_size=@SIZE@ tc_offset=@OFFSET@
tc_tools=/usr/bin:/bin${PATH:+:$PATH}
tc_nl='
'

# Is folder $1 beyond the reach of other users, with everything above it, and
# are the names after $2 inside it ours? Sticky folders, as /tmp, will do above
# it, and for itself when $2 is "shared". One fork. Sets $tc_place to its physical
# path and $tc_bytes to the size of the files, or $tc_reason.
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
  for tc_line; do
    # shellcheck disable=SC2086 # mode, links, owner, group, size and more
    set -- $tc_line
    : "${tc_uid:=$3}"
    case $3 in
      "$tc_uid" | 0) ;;
      65534) # who is unknown in a user namespace; outside of one, the user nobody
        tc_line=4294967295
        { read -r _ _ tc_line </proc/self/uid_map; } 2>/dev/null
        [ "$tc_line" != 4294967295 ] || return 1
        ;;
      *)
        tc_reason='a folder above it belongs to another user'
        return 1
        ;;
    esac
    tc_reason='other users can write in it or in a folder above it'
    case $tc_rule$1 in
      *-????-??-*) tc_bytes=$((tc_bytes + $5)) ;;
      *d????-??-* | sharedd????????[tT]*) ;;
      *) return 1 ;;
    esac
    tc_rule=shared
  done
  [ "$tc_seen" ]
}

# Sets $tc_run to the folder that holds this version unpacked in folder $1, if whole.
unpacked() {
  [ "$1" ] && [ -f "$1/$tc_key" ] && [ -O "$1/$tc_key" ] && [ ! -L "$1" ] || return 1
  { read -r tc_name <"$1/$tc_key"; } 2>/dev/null || return 1
  case ${tc_name#"$tc_key".} in "$tc_name" | *[!0-9.]*) return 1 ;; esac
  private "$1" strict "$tc_name" @FILES@ || return 1
  tc_run=$tc_place/$tc_name
  tc_reason='what was unpacked there does not stay whole'
  # shellcheck disable=SC3013 # -nt is in dash, bash, busybox, ksh and POSIX.1-2024
  [ "$tc_bytes" = "$tc_size" ] && [ -x "$tc_run/deno" ] && [ ! "$tc_run" -nt "$tc_place/$tc_key" ]
}

# Becomes the program in $tc_run. What would change the runtime under it is put aside,
# each as TOOLCALL_ENV_<its name>, for the programs that it starts.
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
  # For a shell it is cheap to see that there is no configuration, for the program it is not.
  # What it says holds for this very process.
  case ${XDG_CONFIG_HOME-} in
    /*) tc_own=$XDG_CONFIG_HOME/toolcall/toolcall.json ;;
    *) tc_own=${HOME-}/.config/toolcall/toolcall.json ;;
  esac
  unset TOOLCALL_NO_CONFIG
  if [ ! -e toolcall.json ] && [ ! -L toolcall.json ] && [ ! -e "$tc_own" ] && [ ! -L "$tc_own" ]; then
    # In a folder that cannot be looked into it may be there.
    while [ "$tc_own" ] && [ ! -e "$tc_own" ] && [ ! -L "$tc_own" ]; do
      case $tc_own in */*) tc_own=${tc_own%/*} ;; *) tc_own= ;; esac
    done
    if [ -x . ] && [ -x "${tc_own:-/}" ]; then export TOOLCALL_NO_CONFIG=$$; fi
  fi
  set +f
  # The runtime would fail without a word for the program that waits.
  if [ ! -d "${PWD-}" ]; then
    echo 'toolcall: Cannot use the working folder: it is not there any more' >&2
    exit 2
  fi
  exec "$tc_run/deno" run @FLAGS@ "$tc_run/main.js" "$@"
}

tc_cache='' tc_spare='' tc_why='' tc_me=''
if [ "${TOOLCALL_CACHE_DIR-}" ]; then
  case $TOOLCALL_CACHE_DIR in
    /*[!/]*) tc_cache=$TOOLCALL_CACHE_DIR ;;
    *) tc_why="$tc_nl  \"$TOOLCALL_CACHE_DIR\": TOOLCALL_CACHE_DIR has to be the absolute path of a folder" ;;
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
      tc_why="$tc_nl  HOME \"${HOME-}\": it is not a folder"
      ;;
  esac
fi
if unpacked "$tc_cache"; then start "$@"; fi
if [ ! "${TOOLCALL_CACHE_DIR-}" ]; then
  case ${TMPDIR-} in /*) tc_spare=${TMPDIR%/} ;; *) tc_spare=/tmp ;; esac
  tc_spare=$tc_spare/toolcall-$(PATH=$tc_tools && id -u)
fi
if unpacked "$tc_spare"; then start "$@"; fi

# Everything below is for the first start; shells read it only then.

# Sets $tc_place to folder $1, made if need be.
prepared() {
  tc_parent=$1
  while [ ! -e "$tc_parent" ] && [ ! -L "$tc_parent" ]; do
    tc_parent=${tc_parent%/*} tc_parent=${tc_parent:-/}
  done
  if [ "$tc_parent" != "$1" ]; then
    tc_reason="\"$tc_parent\" is not a folder"
    [ -d "$tc_parent" ] || return 1
    private "$tc_parent" shared || return 1
    tc_reason=$(mkdir -p -- "$1" 2>&1) || return 1
  fi
  tc_reason='it is a symbolic link'
  [ ! -L "$1" ] || return 1
  tc_reason='it is not a folder'
  [ -d "$1" ] && private "$1" strict
}

# Takes the lock of $tc_place, or waits until another process has unpacked there.
# It only spares work: a lock left by a killed process is taken over at once.
lock() {
  tc_lock=$tc_place/$tc_key.lock tc_waits=0
  while [ "$tc_waits" -lt 400 ]; do
    set -C
    if { true >"$tc_lock"; } 2>/dev/null; then
      set +C
      tc_locked=yes
      { echo "$$" >"$tc_lock"; } 2>/dev/null
      return
    fi
    set +C
    [ -w "$tc_place" ] || return
    tc_holder=
    { read -r tc_holder <"$tc_lock"; } 2>/dev/null
    if unpacked "$tc_place"; then return; fi
    if [ "$tc_waits" = 0 ] && [ "$(find "$tc_lock" -prune -mmin +1 2>/dev/null)" ]; then tc_holder=$$; fi
    case $tc_holder in
      "$$" | *[!0-9]*) rm -f -- "$tc_lock" ;;
      '') [ "$tc_waits" -lt 20 ] || rm -f -- "$tc_lock" ;;
      *) kill -0 "$tc_holder" 2>/dev/null || rm -f -- "$tc_lock" ;;
    esac
    tc_waits=$((tc_waits + 1))
    sleep 0.05 2>/dev/null || { sleep 1 && tc_waits=$((tc_waits + 19)); }
  done
}

# Removes what killed processes left a day ago, and versions not read for a month.
tidy() {
  cd -- "$tc_place" || return
  tc_hex='[0-9a-f]' tc_hex=$tc_hex$tc_hex$tc_hex$tc_hex tc_hex=$tc_hex$tc_hex$tc_hex$tc_hex
  find . ! -name . -prune -type f -name "$tc_hex" -atime +30 -exec rm -f -- {} +
  find . ! -name . -prune -name "$tc_hex.*" -mtime +0 | while read -r tc_old; do
    tc_old=${tc_old#./} tc_live=
    read -r tc_live <"${tc_old%%.*}"
    [ "$tc_live" = "$tc_old" ] || rm -rf -- "$tc_old"
  done
}

# Unpacks into $tc_place/$tc_name; nothing refers to it before it is whole.
extract() {
  tc_count=0
  while tc_name=$tc_key.$$.$tc_count && [ -e "$tc_place/$tc_name" ]; do tc_count=$((tc_count + 1)); done
  tc_fresh=$tc_place/$tc_name
  tc_reason=$(mkdir -- "$tc_fresh" 2>&1) || {
    tc_fresh=
    return 1
  }
  {
    tail -c "+$tc_offset" <"$tc_self" |
      { gzip -dc && true >"$tc_fresh/.sound"; } |
      { cd -- "$tc_fresh" && exec tar -xf -; } &
    tc_job=$!
    wait "$tc_job"
    tc_code=$?
    wait
    tc_job=
  } 2>"$tc_fresh/.log" >&2
  if [ "$tc_code" != 0 ] || [ ! -e "$tc_fresh/.sound" ]; then
    tc_reason=
    { read -r tc_reason <"$tc_fresh/.log"; } 2>/dev/null
    tc_reason="it cannot be unpacked into: ${tc_reason:-is its disk full?}"
    tail -c "+$tc_offset" <"$tc_self" | gzip -t 2>/dev/null ||
      fail "\"$tc_self\" is damaged: get it again, or build it again"
    return 1
  fi
  # What cp writes in large pieces is mapped in large pieces: that spares every start a tenth.
  tc_reason=$(cp -- "$tc_fresh/deno" "$tc_fresh/.deno" 2>&1 && mv -f -- "$tc_fresh/.deno" "$tc_fresh/deno" 2>&1) || {
    tc_reason="it cannot be unpacked into: $tc_reason"
    return 1
  }
  tc_reason=$("$tc_fresh/deno" --version 2>&1 </dev/null) || {
    tc_reason="programs in it cannot be started: $tc_reason"
    return 1
  }
  tc_reason='it cannot be written'
  rm -f -- "$tc_fresh/.log" "$tc_fresh/.sound" && mkdir -- "$tc_fresh/state" &&
    echo "$tc_name" >"$tc_fresh.ready" && mv -f -- "$tc_fresh.ready" "$tc_place/$tc_key"
}

# Gives up what was begun.
discard() {
  [ ! "$tc_fresh" ] || rm -rf -- "$tc_fresh" "$tc_fresh.ready"
  [ ! "$tc_locked" ] || rm -f -- "$tc_lock"
  tc_fresh='' tc_locked=''
}

# Ends by signal $1, as if there had been no trap.
# shellcheck disable=SC2317 # called by the traps
stop() {
  trap '' HUP INT TERM
  [ ! "$tc_job" ] || kill "$tc_job" 2>/dev/null
  wait
  if unpacked "$tc_place" && [ "$tc_run" = "$tc_fresh" ]; then tc_fresh=; fi
  discard
  trap - "$1"
  kill -s "$1" "$$"
}

# Sets $tc_run to this version unpacked in folder $1, unpacking it where that is needed.
unpack() {
  if [ ! "$1" ]; then return 1; fi
  tc_fresh='' tc_locked='' tc_job='' tc_ready=no
  if prepared "$1"; then
    trap 'stop HUP' HUP
    trap 'stop INT' INT
    trap 'stop TERM' TERM
    lock
    if unpacked "$tc_place"; then
      tc_ready=yes
    else
      (tidy) >/dev/null 2>&1 </dev/null
      if extract && unpacked "$tc_place"; then
        tc_ready=yes tc_fresh=
      fi
    fi
    discard
    trap - HUP INT TERM
  fi
  tc_why="$tc_why$tc_nl  \"$1\": $tc_reason"
  [ "$tc_ready" = yes ]
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
  tc_saved_path=${PATH-} tc_saved_umask=$(umask) tc_fresh='' tc_locked=''
  PATH=$tc_tools
  umask 077
  for tc_program in cp find gzip id ls mkdir mv rm sleep tail tar; do
    command -v "$tc_program" >/dev/null || fail "\"$tc_program\" is missing in PATH"
  done
  tc_me=$(id -u)
  tc_self=$0
  [ -f "$tc_self" ] || tc_self=$(PATH=$tc_saved_path && command -v "$0")
  [ -f "$tc_self" ] || fail "its own file \"$0\" cannot be found; start it by its path"
  unpack "$tc_cache" || unpack "$tc_spare" || fail "no folder will do$tc_why
Set TOOLCALL_CACHE_DIR to a folder that only you can write, on a disk that has room and lets programs start"
  umask "$tc_saved_umask"
  PATH=$tc_saved_path
}

first_start
start "$@"
exit
