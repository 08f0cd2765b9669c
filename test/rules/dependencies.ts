import type { Finding } from './source.ts'

/** The parts of package.json that name packages. */
export interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

const path = 'docs/dependencies.md'

/**
 * Finds packages without a section in docs/dependencies.md that gives the reason for the package, and sections of
 * packages that are gone or explained before. The heading of a section names its packages in code marks; a section of
 * fewer than 40 characters gives no reason.
 */
export function unexplainedDependencies(manifest: Manifest, document: string): Finding[] {
  const { dependencies, devDependencies, optionalDependencies, peerDependencies } = manifest
  const wanted = new Set(
    Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies, ...peerDependencies }),
  )
  const explained = new Set<string>()
  const found: Finding[] = []
  for (const section of document.split(/^### /m).slice(1)) {
    const [heading = '', ...body] = section.split('\n')
    const names = [...heading.matchAll(/`([^`]+)`/g)].map(match => match[1] ?? '')
    const hasReason = body.join(' ').trim().length >= 40
    for (const name of names) {
      if (explained.has(name)) found.push({ path, message: `explains ${name} twice` })
      if (hasReason) explained.add(name)
      if (!wanted.has(name)) found.push({ path, message: `explains ${name}, which package.json does not have` })
    }
  }
  const missing = [...wanted].filter(name => !explained.has(name))
  return [...found, ...missing.map(name => ({ path, message: `gives no reason for ${name}` }))]
}
