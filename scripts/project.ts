import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of package.json. */
export const root = fileURLToPath(new URL('..', import.meta.url))

interface Manifest {
  readonly scripts: Readonly<Record<string, string>>
}

interface Installed {
  readonly bin: string | Readonly<Record<string, string>>
}

/** Returns the arguments for Node.js of `npm run generate`. Only package.json defines them. */
export function generateArguments(): string[] {
  const { scripts } = readJson<Manifest>(join(root, 'package.json'))
  const [command, ...given] = (scripts.generate ?? '').split(' ')
  if (command !== 'node' || given.length === 0)
    throw new Error('the script generate of package.json must start with node')
  return given
}

/** Returns the file of an installed tool that Node.js runs, such as `tsc` of `typescript`. */
export function toolFile(packageName: string, tool: string = packageName): string {
  const manifest = createRequire(import.meta.url).resolve(`${packageName}/package.json`)
  const { bin } = readJson<Installed>(manifest)
  const file = typeof bin === 'string' ? bin : bin[tool]
  if (file === undefined) throw new Error(`the package ${packageName} has no command ${tool}`)
  return join(dirname(manifest), file)
}

function readJson<T>(file: string): T {
  return JSON.parse(readFileSync(file, 'utf8')) as T
}
