/** The files that show packages which the scanner does not read, and what they are. The first row that matches counts. */
const unreadSources: readonly (readonly [path: RegExp, what: string])[] = [
  [/^(?:var\/lib\/rpm|usr\/lib\/sysimage\/rpm)\/Packages$/, 'rpm database (Berkeley DB)'],
  [/^(?:var\/lib\/rpm|usr\/lib\/sysimage\/rpm)\/Packages\.db$/, 'rpm database (ndb)'],
  [/^(?:var\/lib\/rpm|usr\/lib\/sysimage\/rpm)\/rpmdb\.sqlite$/, 'rpm database (SQLite)'],
  [/^var\/lib\/rpmmanifest\/container-manifest-[12]$/, 'rpm manifest'],
  [/^var\/lib\/pacman\/local\/[^/]+\/desc$/, 'pacman database'],
  [/^var\/db\/pkg\/[^/]+\/[^/]+\/CONTENTS$/, 'Portage database'],
  [/^(?:usr\/)?(?:lib|var\/lib)\/opkg\/status$/, 'opkg database'],
  [/^nix\/store\/[^/]+$/, 'Nix store'],
  [/^var\/lib\/snapd\/snaps\/[^/]+\.snap$/, 'snap'],
  [/^var\/lib\/flatpak\/(?:app|runtime)\/[^/]+$/, 'Flatpak'],
  [/(?:^|\/)conda-meta\/[^/]+\.json$/, 'conda package'],
  [/(?:^|\/)Cellar\/[^/]+\/[^/]+\/INSTALL_RECEIPT\.json$/, 'Homebrew package'],
  [/(?:^|\/)\.pnp\.c?js$/, 'Yarn packages without node_modules'],
  [/(?:^|\/)vendor\/composer\/installed\.json$/, 'Composer packages'],
  [/\.deps\.json$/, '.NET packages'],
  [/(?:^|\/)site-library\/[^/]+\/DESCRIPTION$/, 'R package'],
  [/(?:^|\/)perllocal\.pod$/, 'Perl modules'],
  [/\.egg$/, 'Python egg'],
  [/^Files\/Windows\/System32$/, 'Windows'],
]

/** Returns what the file or folder at a path shows that the scanner does not read; undefined if it shows nothing. */
export const unreadSource = (path: string): string | undefined => unreadSources.find(([of]) => of.test(path))?.[1]
