class Toolcall < Formula
  desc "Runs the tool calls of language models in a sandbox"
  homepage "@REPOSITORY@"
  version "@VERSION@"
  license "MIT"

  on_macos do
    on_arm do
      url "@DOWNLOADS@/v@VERSION@/toolcall-@VERSION@-macos-arm64.tar.gz"
      sha256 "@SHA256_macos-arm64@"
    end
    on_intel do
      url "@DOWNLOADS@/v@VERSION@/toolcall-@VERSION@-macos-x64.tar.gz"
      sha256 "@SHA256_macos-x64@"
    end
  end

  on_linux do
    on_arm do
      url "@DOWNLOADS@/v@VERSION@/toolcall-@VERSION@-linux-arm64.tar.gz"
      sha256 "@SHA256_linux-arm64@"
    end
    on_intel do
      url "@DOWNLOADS@/v@VERSION@/toolcall-@VERSION@-linux-x64.tar.gz"
      sha256 "@SHA256_linux-x64@"
    end
  end

  def install
    bin.install "toolcall"
    man1.install "toolcall.1"
    bash_completion.install "completions/toolcall.bash" => "toolcall"
    zsh_completion.install "completions/_toolcall"
    fish_completion.install "completions/toolcall.fish"
    doc.install "THIRD_PARTY_NOTICES.txt"
  end

  def caveats
    <<~EOS
      Uninstalling keeps ~/.cache/toolcall and ~/.local/state/toolcall.
      "toolcall cache clean --all --state" removes them. Run it before you uninstall.
    EOS
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/toolcall --version")
  end
end
