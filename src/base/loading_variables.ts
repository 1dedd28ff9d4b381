/** Variables with which a value of a call could make a program load other code. */
export const LOADING_VARIABLES =
  /^(?:LD_|DYLD_|GIT_|TOOLCALL_|PYTHON|PERL|RUBY|NODE_|DENO_|JAVA_|_JAVA|BASH|npm_)|^(?:PATH|ENV|IFS|SHELL|EDITOR|VISUAL|PAGER|HOME|ZDOTDIR)$|OPTIONS$|OPTS$/i;
