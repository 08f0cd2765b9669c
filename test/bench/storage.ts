import { startServer } from '../postgres/server.ts'
import { printBeside } from './measuring/storage/beside.ts'
import { printContent } from './measuring/storage/content.ts'
import { printMemory } from './measuring/storage/memory.ts'
import { printPages } from './measuring/storage/pages.ts'
import { printSmall } from './measuring/storage/small.ts'

/**
 * Prints figures of storage, each beside its limit or a peer in the same run. The server runs on one processor and its
 * clients on another; a bare server of node:http on the same processor is the peer.
 *
 * - `content`: uploads and downloads of one large object;
 * - `small`: objects of 4 KiB by 8 clients;
 * - `memory`: the memory of the server with 100 uploads, then 100 downloads;
 * - `beside`: reads of another area, small downloads and overwrites beside large transfers;
 * - `pages`: pages of objects by prefix and by delimiter, on both stores.
 *
 * `npm run bench storage content full` prints one part at the full size: 1 GiB, 100 streams of 100 MB, 1,000,000
 * objects; the default is about a quarter of it. A part that exceeds a limit sets the exit status.
 */
const parts = { content: printContent, small: printSmall, memory: printMemory, beside: printBeside }
const stores = ['sqlite', 'postgres']
const [, , , ...asked] = process.argv
const isFull = asked.includes('full')
const isAsked = (name: string, names: readonly string[]): boolean =>
  asked.includes(name) || !asked.some(each => names.includes(each))

const partNames = [...Object.keys(parts), 'pages']
for (const [name, print] of Object.entries(parts))
  if (isAsked(name, partNames) && !(await print(isFull))) process.exitCode = 1

for (const store of isAsked('pages', partNames) ? stores : []) {
  if (!isAsked(store, stores)) continue
  const server = store === 'postgres' ? await startServer() : undefined
  try {
    if (!(await printPages(server?.url, isFull))) process.exitCode = 1
  } finally {
    await server?.stop()
  }
}
