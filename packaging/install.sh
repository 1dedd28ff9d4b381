#!/bin/sh
# Installs toolcall @VERSION@ for the current user. It needs no root.
set -eu

version='@VERSION@'
downloads='@DOWNLOADS@'
prefix=${HOME:-}/.local
from=''
mode=install

usage() {
  cat <<'END'
Usage: install.sh [--prefix=DIR] [--from=DIR|URL] [--uninstall]

Installs toolcall, its manual page and its completions. It checks the SHA-256 checksum first.

  --prefix=DIR    the directory to install into (default: ~/.local)
  --from=DIR|URL  the directory or address of the release files
  --uninstall     remove the installed files
END
}

fail() {
  printf 'install.sh: %s\n' "$1" >&2
  exit 1
}

for argument; do
  case $argument in
    --prefix=?*) prefix=${argument#*=} ;;
    --from=?*) from=${argument#*=} ;;
    --uninstall) mode=uninstall ;;
    --help | -h)
      usage
      exit
      ;;
    *)
      usage >&2
      exit 2
      ;;
  esac
done
case $prefix in /*) ;; *) fail "Cannot install into \"$prefix\": it is no absolute path; use --prefix=DIR" ;; esac

# The files of the archive, and where they are installed.
pairs='toolcall bin/toolcall
toolcall.1 share/man/man1/toolcall.1
completions/toolcall.bash share/bash-completion/completions/toolcall
completions/_toolcall share/zsh/site-functions/_toolcall
completions/toolcall.fish share/fish/vendor_completions.d/toolcall.fish
LICENSE share/doc/toolcall/LICENSE
THIRD_PARTY_NOTICES.txt share/doc/toolcall/THIRD_PARTY_NOTICES.txt'

if [ "$mode" = uninstall ]; then
  echo "$pairs" | while read -r _ target; do
    if [ -e "$prefix/$target" ]; then
      rm -f -- "$prefix/$target"
      echo "Removed $prefix/$target"
    fi
  done
  rmdir "$prefix/share/doc/toolcall" 2>/dev/null || true
  echo "These directories stay, if they exist: ~/.cache/toolcall and ~/.local/state/toolcall."
  echo 'Before you uninstall, "toolcall cache clean --all --state" removes them.'
  exit
fi

system=$(uname -s) machine=$(uname -m)
case $system in
  Linux) os=linux ;;
  Darwin) os=macos ;;
  *) fail "There is no toolcall for $system. Linux and macOS have one" ;;
esac
case $machine in
  x86_64 | amd64) cpu=x64 ;;
  aarch64 | arm64) cpu=arm64 ;;
  *) fail "There is no toolcall for the processor $machine. x86-64 and ARM64 have one" ;;
esac
case $os:$(ldd --version 2>&1 || true) in
  linux:*musl*) fail 'There is no toolcall for systems with the C library musl, such as Alpine. It needs glibc' ;;
esac
name=toolcall-$version-$os-$cpu

if [ ! "$from" ]; then
  [ "$downloads" ] || fail "Nothing is published yet, so there is no download address. Name the release files with --from=DIR"
  from=$downloads/v$version
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
get() {
  case $from in
    *://*)
      if command -v curl >/dev/null; then
        curl -fsSL -o "$work/$1" "$from/$1" || fail "Cannot download $from/$1"
      elif command -v wget >/dev/null; then
        wget -q -O "$work/$1" "$from/$1" || fail "Cannot download $from/$1"
      else
        fail 'Cannot download: neither curl nor wget is installed'
      fi
      ;;
    *) cp -- "$from/$1" "$work/$1" 2>/dev/null || fail "Cannot read $from/$1" ;;
  esac
}

echo "Getting $name.tar.gz from $from"
get SHA256SUMS
get "$name.tar.gz"
if command -v sha256sum >/dev/null; then
  sum=$(sha256sum <"$work/$name.tar.gz")
elif command -v shasum >/dev/null; then
  sum=$(shasum -a 256 <"$work/$name.tar.gz")
else
  fail 'Cannot check the download: neither sha256sum nor shasum is installed'
fi
grep -q "^${sum%% *}  $name.tar.gz\$" "$work/SHA256SUMS" ||
  fail "The checksum of $name.tar.gz is wrong: it is ${sum%% *}. Nothing was installed"
gzip -dc <"$work/$name.tar.gz" | (cd "$work" && tar -xf -)

echo "$pairs" | while read -r source target; do
  mkdir -p -- "$prefix/${target%/*}"
  # A program that runs keeps its file: the new one takes its name.
  cp -- "$work/$name/$source" "$prefix/$target.new"
  mv -f -- "$prefix/$target.new" "$prefix/$target"
  echo "Installed $prefix/$target"
done
case :${PATH:-}: in
  *":$prefix/bin:"*) ;;
  *) echo "Add $prefix/bin to PATH: export PATH=\"$prefix/bin:\$PATH\"" ;;
esac
echo 'Try: toolcall list'
echo 'To uninstall: toolcall cache clean --all, and then install.sh --uninstall'
