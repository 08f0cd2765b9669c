/**
 * The words that a shell can complete. The words are names of commands, options and operations, and need no quoting.
 */
export interface Completed {
  readonly commands: readonly string[]
  readonly operations: readonly string[]
  /** The options of `ninefold api`, with their dashes. */
  readonly options: readonly string[]
}

/**
 * The functions that return the completion script of a shell, keyed by the shell. A script contains all words, so that
 * a completion starts no process.
 */
export const scripts = {
  bash: ({ commands, operations, options }: Completed): string => `_ninefold() {
  local word=\${COMP_WORDS[COMP_CWORD]}
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '${commands.join(' ')}' -- "$word"))
  elif [ "\${COMP_WORDS[1]}" = api ]; then
    case $word in
      -*) COMPREPLY=($(compgen -W '${options.join(' ')}' -- "$word")) ;;
      *) [ "$COMP_CWORD" -eq 2 ] && COMPREPLY=($(compgen -W '${operations.join(' ')}' -- "$word")) ;;
    esac
  fi
}
complete -o default -F _ninefold ninefold
`,
  zsh: ({ commands, operations, options }: Completed): string => `#compdef ninefold
_ninefold() {
  if (( CURRENT == 2 )); then
    compadd -- ${commands.join(' ')}
  elif [[ $words[2] == api ]]; then
    if [[ $PREFIX == -* ]]; then
      compadd -- ${options.join(' ')}
    elif (( CURRENT == 3 )); then
      compadd -- ${operations.join(' ')}
    else
      _files
    fi
  else
    _files
  fi
}
compdef _ninefold ninefold
`,
  fish: ({ commands, operations, options }: Completed): string =>
    [
      `complete -c ninefold -n __fish_use_subcommand -a '${commands.join(' ')}' -f`,
      `complete -c ninefold -n '__fish_seen_subcommand_from api' -a '${operations.join(' ')}'`,
      ...options.map(
        option => `complete -c ninefold -n '__fish_seen_subcommand_from api' -l ${option.replace(/^--/, '')}`,
      ),
      '',
    ].join('\n'),
} as const
