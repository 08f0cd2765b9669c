import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { AreaModule } from '../../../server/area.ts'
import { generation, plainOptions, repository, writeFiles } from '../../generator/generation.ts'
import { depotDocument } from './document.ts'

/** The folders to which the example adds files. Links lead the example's imports to the code under test. */
const grown = ['domain', 'output', 'server', 'specs']

/** Writes the area of the page into a folder: its document, its generated code, and the code blocks. */
export async function writeExample(folder: string, blocks: ReadonlyMap<string, string>): Promise<void> {
  for (const name of grown) {
    mkdirSync(join(folder, name))
    for (const each of readdirSync(join(repository, name)))
      symlinkSync(join(repository, name, each), join(folder, name, each))
  }
  for (const name of ['text', 'runtime', 'node_modules']) symlinkSync(join(repository, name), join(folder, name))
  writeFileSync(join(folder, 'specs/depot.yaml'), depotDocument)
  const documents = ['specs/common.yaml', 'specs/depot.yaml']
  const { files, printed } = await generation(documents, folder, plainOptions, ['common=shared'])
  if (printed.length > 0) throw new Error(printed.join('\n'))
  const own = [...files].filter(([path]) => path.startsWith('depot/'))
  writeFiles(join(folder, 'output'), new Map(own))
  writeFiles(folder, blocks)
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  const include = ['domain/depot/*.ts', 'server/depot-entry.ts']
  const project = { extends: join(repository, 'tsconfig.json'), include }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(project))
}

/** Makes the area as the page mounts it, with a store of blobs in memory; the only key is `opener`. */
export async function exampleArea(folder: string): Promise<AreaModule> {
  const kept = new Map<string, Uint8Array<ArrayBuffer>>()
  const blobs = {
    async keep(name: string, stream: ReadableStream<Uint8Array<ArrayBuffer>>) {
      const bytes = new Uint8Array(await new Response(stream).arrayBuffer())
      kept.set(name, bytes)
      return bytes.length
    },
    async read(name: string) {
      const bytes = kept.get(name)
      return bytes && { size: bytes.length, bytes: new Blob([bytes]).stream() }
    },
  }
  const entry: { depotEntry(keeper: object, isKey: (key: string) => Promise<boolean>): AreaModule } = await import(
    pathToFileURL(join(folder, 'server/depot-entry.ts')).href
  )
  return entry.depotEntry(blobs, async key => key === 'opener')
}
