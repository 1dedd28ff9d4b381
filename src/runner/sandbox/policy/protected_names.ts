/**
 * Files that other programs run or obey, by the ends of their paths. A call that may write them
 * runs code outside of any sandbox. A name that ends in `/` is a directory with all its contents;
 * any other is a file. A name that begins with `/` is one path, any other is protected in every
 * directory. All are lower case.
 *
 * A name inside a protected directory is in the list when a grant of that directory does not open
 * it.
 */
const PROTECTED_NAMES: readonly string[] = [
  // Git: the file `.git` names a repository, and its configuration names programs.
  ".git .git/ .git/hooks/ .git/config .git/config.worktree .git/commondir .git/info/attributes",
  ".git/modules/ .git/worktrees/ .git/objects/info/alternates .gitconfig .gitmodules .config/git/",
  ".husky/ .hg/ .hg/hgrc .hgrc .jj/ .jj/repo/config.toml .svn/ .jjconfig.toml .config/jj/",
  ".config/hg/ .subversion/ .githooks/ .pre-commit-config.yaml lefthook.yml .lefthook.yml .tigrc",
  ".config/tig/ .config/lazygit/",
  // Shells, and the files that they run.
  ".profile .bashrc .bashrc.d/ .bash_profile .bash_login .bash_logout .bash_aliases",
  ".bash_completion .shrc .shinit .ashrc .kshrc .mkshrc .zshrc .zshenv .zprofile .zlogin .zlogout",
  ".zsh/ .oh-my-zsh/ .cshrc .tcshrc .login .logout .inputrc .config/fish/ .config/zsh/",
  ".config/nushell/ .config/powershell/ documents/powershell/ documents/windowspowershell/",
  ".config/starship.toml .envrc .direnvrc .config/direnv/ .mise.toml .config/mise/ .screenrc",
  ".tmux.conf .tmux/ .config/tmux/ .config/kitty/ .config/alacritty/ .byobu/ .config/zellij/",
  ".wezterm.lua .config/wezterm/ .config/ghostty/ .lesskey .config/lesskey .p10k.zsh .fzf.bash",
  ".fzf.zsh .bash_it/ .local/share/bash-completion/ .local/share/fish/ mise.toml",
  // The user's session, and timers.
  ".xprofile .xinitrc .xsession .xsessionrc .xsession.d/ .pam_environment .config/autostart/",
  ".config/autostart-scripts/ .config/plasma-workspace/ .config/systemd/ .local/share/systemd/",
  ".config/environment.d/ .local/share/applications/ .local/share/dbus-1/ .config/i3/",
  ".config/sway/ .config/hypr/ .config/awesome/ .config/bspwm/ .config/sxhkd/ .config/openbox/",
  ".config/labwc/ .config/qtile/ .config/river/ .config/niri/ .config/waybar/ .xmonad/",
  ".xbindkeysrc .config/user-dirs.dirs .config/pulse/ .asoundrc .config/mpv/ library/launchagents/",
  "library/launchdaemons/ /var/spool/cron/ /etc/crontab /etc/cron.d/ /etc/cron.hourly/",
  "/etc/cron.daily/ /etc/cron.weekly/ /etc/cron.monthly/ /etc/profile /etc/profile.d/",
  "/etc/bash.bashrc /etc/environment /etc/ld.so.preload /etc/pam.d/ /etc/sudoers /etc/sudoers.d/",
  "/etc/systemd/ /etc/gitconfig",
  // Programs in PATH.
  ".local/bin/ .cargo/bin/ .cargo/env .deno/bin/ .bun/bin/ .nvm/ .pyenv/ .rbenv/ .asdf/ .sdkman/",
  ".volta/ .rustup/ .npm-global/ .local/share/pnpm/ .local/share/mise/ .krew/ .dotnet/tools/",
  ".config/nix/ .config/nixpkgs/ .config/home-manager/",
  // Keys, and programs that sign in.
  ".ssh/ .gnupg/ .netrc .curlrc .wgetrc .docker/config.json .docker/cli-plugins/ .kube/config",
  ".aws/config .aws/credentials .config/gh/ .config/containers/",
  // Editors and debuggers.
  ".vscode/ .vscode-server/ .config/code/ .idea/ .run/ .fleet/ .zed/ .config/zed/ .vim/ .vimrc",
  ".gvimrc .exrc .nvimrc .config/nvim/ .emacs .emacs.el .emacs.d/ .vscode-insiders/ .vscode-oss/",
  ".config/vscodium/ .config/sublime-text/ .local/share/nvim/ .dir-locals-2.el .config/emacs/",
  ".dir-locals.el .nanorc .config/helix/ .config/micro/ .gdbinit .gdbearlyinit .config/gdb/",
  ".lldbinit .devcontainer/ .devcontainer.json",
  // Agents and their servers.
  ".mcp.json toolcall.json .config/toolcall/ toolcall/apis/ toolcall/packages/ .claude/ .claude.json claude_desktop_config.json",
  ".cursor/ .codex/ .gemini/ .windsurf/ .codeium/ .continue/ .roo/ .cline/ .opencode/",
  "opencode.json .config/opencode/ .aider.conf.yml .config/goose/ .copilot/ .kiro/ .amazonq/",
  ".qwen/",
  // Package managers, build tools and interpreters.
  ".npmrc .yarnrc .yarnrc.yml .yarnrc.yaml .pnpmfile.cjs .pnpmfile.mjs .cargo/config",
  ".cargo/config.toml .cargo/credentials .cargo/credentials.toml .pypirc .pip/ .config/pip/",
  ".config/uv/ .condarc .gemrc .bundle/config .irbrc .pryrc .pythonrc .local/lib/ .node_modules/",
  ".perldb .julia/config/ .terraform.d/ .pythonrc.py .pythonstartup",
  ".ipython/profile_default/startup/ .ipython/profile_default/ipython_config.py .rprofile",
  ".renviron .sqliterc .psqlrc .mylogin.cnf .my.cnf .ripgreprc .bazelrc .mvn/jvm.config",
  ".mvn/maven.config .mvn/extensions.xml .mvn/wrapper/maven-wrapper.properties .m2/settings.xml",
  ".gradle/init.gradle .gradle/init.gradle.kts .gradle/init.d/ .gradle/gradle.properties .ghci",
  ".terraformrc .config/composer/ .mailcap .forward .procmailrc",
];

/** The names of the list. Splitting it costs 0.1 ms, so only a call that compares names does it. */
export function protectedNames(): string[] {
  return PROTECTED_NAMES.flatMap((names) => names.split(" "));
}

/** The ends of names of files that programs obey. */
export const PROTECTED_ENDS: readonly string[] = [".code-workspace", ".sublime-project"];

/** The names in a Git repository that decide what git runs there, or that make it a repository. */
export const REPOSITORY_NAMES: readonly string[] =
  "head config config.worktree commondir gitdir hooks info modules objects refs worktrees"
    .split(" ");

/**
 * Directories in which the programs that they belong to write at every step. Programs are
 * kept only from the names in them that the list has too.
 */
export const WRITTEN_BY_PROGRAMS: readonly string[] = [".git/", ".hg/", ".jj/", ".svn/"];

/** The parts of a Git directory that programs must not write. */
export const GIT_NAMES: readonly string[] =
  "config config.worktree hooks commondir gitdir info/attributes objects/info/alternates"
    .split(" ");
