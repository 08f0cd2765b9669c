import { startServer } from '../postgres/server.ts'
import { printContent } from './measuring/registry/content.ts'
import { printDeletion } from './measuring/registry/deletion.ts'
import { printMemory } from './measuring/registry/memory.ts'
import { printRetention } from './measuring/registry/retention.ts'
import { printTags } from './measuring/registry/tags.ts'

/**
 * Prints figures of the registry, each beside its limit or a peer in the same run: `content`, a push and a pull of one
 * large layer; `memory`, the memory of the server with 50 pushes of 20 MB at a time, then 50 pulls; `tags`, pages among
 * 100,000 tags; `deletion`, deletions of artifacts with thousands of tags; `retention`, a dry run and a run of a retention
 * policy. The last three run on both stores, unless `sqlite` or `postgres` is named. `npm run bench registry content full`
 * takes a layer of 1 GiB; the default is a quarter of it. `npm run bench registry retention full` takes 100,000 artifacts;
 * the default is 5,000. A part that exceeds a limit sets the exit status.
 */
const [, , , ...asked] = process.argv
const isAsked = (name: string): boolean =>
  asked.includes(name) || !asked.some(each => /^(?:content|deletion|memory|retention|tags)$/.test(each))

if (isAsked('content') && !(await printContent(asked.includes('full')))) process.exitCode = 1
if (isAsked('memory') && !(await printMemory())) process.exitCode = 1

const isStore = (name: string): boolean => /^(?:sqlite|postgres)$/.test(name)
const onBothStores: Readonly<Record<string, (storeUrl: string | undefined) => Promise<boolean>>> = {
  tags: printTags,
  deletion: printDeletion,
  retention: storeUrl => printRetention(storeUrl, asked.includes('full') ? 100_000 : 5000),
}
for (const [name, print] of Object.entries(onBothStores)) {
  if (!isAsked(name)) continue
  for (const store of ['sqlite', 'postgres'].filter(each => asked.includes(each) || !asked.some(isStore))) {
    const server = store === 'postgres' ? await startServer() : undefined
    try {
      if (!(await print(server?.url))) process.exitCode = 1
    } finally {
      await server?.stop()
    }
  }
}
