import { readingOf, unreadable, type Reading } from './source-package.ts'

/** The comment that RubyGems writes first into an installed specification: `# stub: rake 13.0.6 ruby lib`. */
const stub = /^# stub: (\S+) (\S+) (\S+) /m

/** Texts in quotes, as a specification assigns them: `s.name = "rake".freeze`. */
const assigned = (member: string): RegExp =>
  new RegExp(String.raw`^[ \t]*\w+\.${member}[ \t]*=[ \t]*(?:Gem::Version\.new\(?[ \t]*)?(["'])([^"'#\\\n]+)\1`, 'm')
const [assignedName, assignedVersion] = [assigned('name'), assigned('version')]

/** Reads the specification of an installed gem. It is a program of Ruby, which is not run. */
export function readGem(text: string): Reading {
  const [, stubName, stubVersion] = stub.exec(text.slice(0, 4096)) ?? []
  const name = stubName ?? assignedName.exec(text)?.[2]
  const version = stubVersion ?? assignedVersion.exec(text)?.[2]
  if (name === undefined || version === undefined) return unreadable('gemspec that computes its name or its version')
  return readingOf([{ kind: 'gem', name, version }], 'gemspec')
}
