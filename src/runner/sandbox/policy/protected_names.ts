/**
 * Files that other programs run or obey, by the ends of their paths. A call that may write them
 * runs code outside of any sandbox.
 *
 * The rule: a file is in the list if a program, by itself, runs it or takes programs from it when a
 * person opens the directory, enters it, or starts a shell, a debugger or an interpreter there. All names
 * by which a program looks for such a file belong to the list, and its local and older names too. The
 * project's own code is not in it, although an editor may run some of it (`eslint.config.js`,
 * `conftest.py`, `build.rs`), and neither is prose for agents (`AGENTS.md`): work in a project changes
 * both. `docs/security.md` says so.
 *
 * A name that ends in `/` is a directory with all its contents;
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
  ".config/tig/ .config/lazygit/ lefthook-local.yml .lefthook-local.yml lefthook.yaml lefthook.toml",
  "lefthook.json .lefthook.yaml .lefthook.toml .lefthook.json .pre-commit-config.yml .overcommit.yml",
  ".huskyrc .huskyrc.json .huskyrc.js .simple-git-hooks.json .simple-git-hooks.js .hgsub .gitconfig.local",
  // Shells, and the files that they run.
  ".profile .bashrc .bashrc.d/ .bash_profile .bash_login .bash_logout .bash_aliases",
  ".bash_completion .shrc .shinit .ashrc .kshrc .mkshrc .zshrc .zshenv .zprofile .zlogin .zlogout",
  ".zsh/ .oh-my-zsh/ .cshrc .tcshrc .login .logout .inputrc .config/fish/ .config/zsh/",
  ".config/nushell/ .config/powershell/ documents/powershell/ documents/windowspowershell/",
  ".config/starship.toml .envrc .direnvrc .config/direnv/ .mise.toml .config/mise/ .screenrc",
  ".tmux.conf .tmux/ .config/tmux/ .config/kitty/ .config/alacritty/ .byobu/ .config/zellij/",
  ".wezterm.lua .config/wezterm/ .config/ghostty/ .lesskey .config/lesskey .p10k.zsh .fzf.bash",
  ".fzf.zsh .bash_it/ .local/share/bash-completion/ .local/share/fish/ mise.toml mise.local.toml",
  ".mise.local.toml mise/config.toml .mise/ .config/mise.toml .autoenv .autoenv.zsh .autoenv_leave.zsh",
  ".tmuxinator.yml .tmuxinator.yaml .tmuxp.yaml .tmuxp.json .smug.yml .bashrc.local .zshrc.local",
  ".xonshrc .config/xonsh/ .elvish/ .config/elvish/ .envrc.local",
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
  ".lldbinit .devcontainer/ .devcontainer.json .helix/ .nvim.lua .nvim/ .lvimrc .local.vimrc .vimrc.local",
  ".lite_project.lua .nova/ .theia/ .trae/ .void/ .kakrc .config/kak/ .ycm_extra_conf.py .luarc.json",
  ".luarc.jsonc .neoconf.json .pdbrc .pdbrc.py .byebugrc .rdbgrc .rdbgrc.rb .radare2rc .config/radare2/",
  ".gef.rc .zed_server/ .cursor-server/ .windsurf-server/ .positron-server/",
  // Agents and their servers.
  ".mcp.json toolcall.json .config/toolcall/ toolcall/apis/ toolcall/packages/ .claude/ .claude.json claude_desktop_config.json",
  ".cursor/ .codex/ .gemini/ .windsurf/ .codeium/ .continue/ .roo/ .cline/ .opencode/",
  "opencode.json .config/opencode/ .aider.conf.yml .config/goose/ .copilot/ .kiro/ .amazonq/",
  ".qwen/ .junie/ .augment/ .factory/ .crush/ crush.json .crush.json .goose/ .agents/ .zencoder/",
  ".aider.conf.yaml opencode.jsonc .vscode-mcp.json mcp.json .amp/ .warp/",
  // Package managers, build tools and interpreters.
  ".npmrc .yarnrc .yarnrc.yml .yarnrc.yaml .pnpmfile.cjs .pnpmfile.mjs .cargo/config",
  ".cargo/config.toml .cargo/credentials .cargo/credentials.toml .pypirc .pip/ .config/pip/",
  ".config/uv/ .condarc .gemrc .bundle/config .irbrc .pryrc .pythonrc .local/lib/ .node_modules/",
  ".perldb .julia/config/ .terraform.d/ .pythonrc.py .pythonstartup",
  ".ipython/profile_default/startup/ .ipython/profile_default/ipython_config.py .rprofile",
  ".renviron .sqliterc .psqlrc .mylogin.cnf .my.cnf .ripgreprc .bazelrc .mvn/jvm.config",
  ".mvn/maven.config .mvn/extensions.xml .mvn/wrapper/maven-wrapper.properties .m2/settings.xml",
  ".gradle/init.gradle .gradle/init.gradle.kts .gradle/init.d/ .gradle/gradle.properties .ghci",
  ".terraformrc .config/composer/ .mailcap .forward .procmailrc .yarn/releases/ .yarn/plugins/",
  ".yarn/sdks/ bunfig.toml .bunfig.toml .iex.exs .erlang .ocamlinit .utoprc",
  ".sbclrc .guile .octaverc .scalarc .groovysh/ .mongorc.js .mongoshrc.js .duckdbrc .node_repl_init",
  ".pythonrc.local sitecustomize.py usercustomize.py .ptpython/ .config/ptpython/ .bpython/",
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
